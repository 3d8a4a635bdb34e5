"""What the tests need beside the package.

BAREKING_GOLDEN    tests/golden of the sources; else where it lies from here
BAREKING_COMMAND   the command; else build/bareking of the sources, or that of PATH
BAREKING_POSITIONS of each table in test_equal.py
"""

import os
import shutil
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[3]


def pytest_report_header():
    import bareking

    return f"bareking: {bareking.__file__}, libbareking {bareking.library_version()}"


@pytest.fixture(scope="session")
def golden() -> Path:
    """Tables of every game: SET/GAME/MATERIAL.bkw."""
    folder = Path(os.environ.get("BAREKING_GOLDEN", SOURCES / "tests/golden"))
    if not (folder / "list").is_file():
        pytest.skip("no tests/golden; say where in BAREKING_GOLDEN")
    return folder


@pytest.fixture(scope="session")
def command() -> str:
    """The command, which asks the same library in C."""
    built = str(SOURCES / "build/bareking")
    found = os.environ.get("BAREKING_COMMAND") or shutil.which(built) or shutil.which("bareking")
    if not found:
        pytest.skip("no command; say where in BAREKING_COMMAND")
    return found


@pytest.fixture(scope="session")
def header() -> str:
    path = SOURCES / "probe/bareking.h"
    if not path.is_file():
        pytest.skip("no bareking.h: not the sources")
    return path.read_text()


@pytest.fixture
def tables(golden, tmp_path, monkeypatch) -> Path:
    """A folder `tables` with some of chess; the current folder is the one above."""
    shutil.copytree(golden / "normal/chess", tmp_path / "tables/chess")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "tables"
