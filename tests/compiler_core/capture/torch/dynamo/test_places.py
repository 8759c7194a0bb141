"""Where an operation of a graph of TorchDynamo's stands in the snippet."""

import linecache

import pytest

from compiler_core.capture.torch.dynamo.input_names import attribute, readable
from compiler_core.capture.torch.dynamo.places import place_of
from compiler_core.snippet.source import FILE

TEXT = "def f(x):\n        y = g(x + 1)\n        return y\n"
LIBRARY = '  File "/lib/torch/nn.py", line 9, in forward\n    return gelu(x)\n           ^^^^^^^\n'


@pytest.fixture(autouse=True)
def _snippet(monkeypatch):
    lines = TEXT.splitlines(keepends=True)
    monkeypatch.setitem(linecache.cache, FILE, (len(TEXT), None, lines, FILE))
    place_of.cache_clear()
    yield
    place_of.cache_clear()


def frame(line: int, shown: str, marks: str) -> str:
    return f'  File "{FILE}", line {line}, in f\n    {shown}\n    {marks}\n'


def test_the_carets_begin_at_the_column():
    assert place_of(frame(2, "y = g(x + 1)", "      ^^^^^")) == (2, 15, 20)


def test_python_may_mark_what_is_around_an_operator():
    assert place_of(frame(2, "y = g(x + 1)", "      ~~^~~")) == (2, 15, 20)


def test_without_carets_the_line_begins_at_its_text():
    stack = f'  File "{FILE}", line 3, in f\n    return y\n'
    assert place_of(stack) == (3, 9, None)


def test_a_call_that_is_all_that_is_assigned_has_no_carets_since_python_3_13():
    stack = f'  File "{FILE}", line 2, in f\n    y = g(x + 1)\n'
    assert place_of(stack) == (2, 13, None)


def test_the_innermost_frame_of_the_snippet_counts():
    stack = frame(3, "return y", "^^^^^^^^") + frame(2, "y = g(x + 1)", "    ^^^^^^^^") + LIBRARY
    assert place_of(stack) == (2, 13, 21)


def test_a_stack_without_the_snippet_has_no_place():
    assert place_of(LIBRARY) is None
    assert place_of(None) is None


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("L['x']", "x"),
        ("L['self']._modules['fc']._parameters['weight']", "fc.weight"),
        ("G['model']._modules['0']._parameters['bias']", "model.0.bias"),
        ("L['___stack0']", "stack0"),
        ("G['__import___main__'].table", "table"),
    ],
)
def test_names_of_inputs_are_those_of_the_snippet(source, name):
    assert readable(source) == name


def test_names_of_an_optimizers_parameters():
    assert attribute("self___param_groups_0__params___1") == "param_groups.0.params.1"
