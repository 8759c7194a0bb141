"""What a text of inputs stands for: arguments may name each other."""

import types

import pytest

from compiler_core.errors import SnippetError
from compiler_core.inputs import calls
from compiler_core.snippet.values import built

NAMES = types.ModuleType("__main__")
NAMES.__dict__.update(known=7, twice=lambda x: [x, x])


def values(text, *parameters):
    (call,) = calls(text)
    return built(call.inputs, lambda spec: [str(spec)], NAMES, parameters)


def test_an_argument_is_what_another_is():
    args, kwargs = values("f(twice(b), f32[2], c=twice(a))", "a", "b")
    assert args[0][0] is args[1] and kwargs["c"][0] is args[0]


def test_the_snippet_s_own_names_come_first():
    args, _ = values("f(twice(known), 3)", "a", "known")
    assert args == ([7, 7], 3)


@pytest.mark.parametrize("text", ["f(twice(a))", "f(twice(b), twice(a))", "f(twice(other))"])
def test_what_nothing_defines_is_said(text):
    with pytest.raises(SnippetError, match="which the snippet does not define"):
        values(text, "a", "b")
