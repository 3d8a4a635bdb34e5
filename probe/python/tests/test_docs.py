"""What the docstrings say is so."""

import doctest
import importlib
import inspect

import bareking
import pytest


@pytest.mark.parametrize("name", ["", "._errors", "._game", "._handle", "._many", "._tablebase"])
def test_examples(tables, name):
    if name == "._many":
        pytest.importorskip("numpy")
    module = importlib.import_module("bareking" + name)
    done = doctest.testmod(module, extraglobs=vars(bareking))
    assert done.failed == 0
    assert done.attempted or name in ("._errors", "._handle")


def test_everything_public_is_explained():
    for name in bareking.__all__:
        thing = getattr(bareking, name)
        if not isinstance(thing, int):
            assert inspect.getdoc(thing), name
    for kind in (bareking.Tablebase, bareking.Game, bareking.Answers, bareking.PositionArray):
        for name, member in vars(kind).items():
            if not name.startswith("_") and inspect.isfunction(member):
                assert member.__doc__, f"{kind.__name__}.{name}"
