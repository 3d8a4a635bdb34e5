"""The library is found, and is the one that bareking.h declares."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import bareking
import pytest
from bareking import _errors, _library


def test_structs_are_those_of_the_header(header, tmp_path):
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no compiler")
    lines = []
    expected = []
    for name, struct in _library.STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        expected.append(f"{name} {ctypes.sizeof(struct)}")
        for field, *_ in struct._fields_:
            member = field.rstrip("_")
            place = getattr(struct, field)
            lines.append(f'printf("{name}.{member} %zu %zu\\n", offsetof(struct {name}, {member}), '
                         f"sizeof ((struct {name} *)0)->{member});")
            expected.append(f"{name}.{member} {place.offset} {place.size}")
    (tmp_path / "bareking.h").write_text(header)
    (tmp_path / "sizes.c").write_text('#include <stdio.h>\n#include "bareking.h"\n'
                                      "int main(void) {" + "\n".join(lines) + "}")
    subprocess.run([compiler, "sizes.c", "-o", "sizes"], cwd=tmp_path, check=True)
    said = subprocess.run([tmp_path / "sizes"], capture_output=True, text=True, check=True)
    assert said.stdout.split("\n")[:-1] == expected


def test_functions_and_numbers_are_those_of_the_header(header):
    for name in _library.FUNCTIONS:
        arguments = re.search(r"BK_API [^;]*\b%s\(([^;]*)\);" % name, header)[1]
        taken = 0 if arguments == "void" else arguments.count(",") + 1
        assert len(_library.FUNCTIONS[name][1]) == taken, name
    codes = dict(re.findall(r"^    BK_LIB_(\w+) = (\d+)\b", header, re.M))
    assert int(codes.pop("OK")) == 0
    assert int(codes.pop("NEEDS_BYTES")) == 10  # of a host, which only C has
    assert {int(code) for code in codes.values()} == set(_errors.BY_CODE)
    assert int(re.search(r"BK_LIB_FEN_MAX +(\d+)", header)[1]) == _library.FEN_MAX
    ends = re.search(r"enum bk_lib_end \{([^}]*)\}", header)[1]
    assert re.findall(r"BK_LIB_(\w+)", ends) == [end.name for end in bareking.End]


def test_ends_and_errors_of_a_later_library():
    a = _library.AnswerStruct(wdl=-1, end=99)
    end = bareking._tablebase._answer_of(a).end
    assert (end, end.name, repr(end)) == (99, "END_99", "<End.END_99: 99>")
    assert bareking._errors.error_of(99, "?").__class__ is bareking.SystemFailure


def test_version_is_that_of_the_header(header):
    number = int(re.search(r"#define BK_LIB_VERSION (0x[0-9a-f]+)", header)[1], 16)
    assert bareking.__version__ == f"{number >> 16}.{number >> 8 & 255}.{number & 255}"
    assert _library.SONAME == f"libbareking.so.{number >> 16}" and _library.VERSION == number


def importing(package: Path, **environment: str) -> str:
    """What `import bareking` of a folder says, and where the library was."""
    code = "import bareking._library as b; print(b.lib._name)"
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("BAREKING", "PYTHON", "LD_"))}
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True,
                          env={**keep, "PYTHONPATH": str(package), **environment})
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_library_is_named_or_packed_or_installed(tmp_path):
    loaded = bareking._library.lib._name
    real = Path(loaded).resolve()
    if not real.is_file():
        pytest.skip("the library was found by its soname")
    package = tmp_path / "package"
    shutil.copytree(Path(bareking.__file__).parent, package / "bareking",
                    ignore=shutil.ignore_patterns("libbareking.*"))
    assert importing(package, BAREKING_LIBRARY=str(real)) == str(real)
    assert importing(package, BAREKING_LIBRARY="/nothing.so") == "none"

    installed = tmp_path / "lib"
    installed.mkdir()
    shutil.copy(real, installed / _library.SONAME)
    assert importing(package, LD_LIBRARY_PATH=str(installed)) == _library.SONAME

    packed = package / "bareking" / _library.SONAME
    shutil.copy(real, packed)
    assert importing(package) == str(packed)


def test_library_that_is_too_old_is_refused_by_name(tmp_path):
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no compiler")
    old = tmp_path / "old.so"
    subprocess.run([compiler, "-shared", "-x", "c", "-", "-o", old], check=True, text=True,
                   input="unsigned bk_lib_version(void) { return 0x000001; }")
    said = importing(Path(bareking.__file__).parents[1], BAREKING_LIBRARY=str(old))
    assert re.match(r"ImportError: .*old\.so: too old, bk_\w+ is missing", said)
