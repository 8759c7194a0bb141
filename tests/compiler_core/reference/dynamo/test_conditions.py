"""Guards and what failed of them, read from Dynamo's text: samples as torch wrote them."""

from pathlib import Path

import pytest

from compiler_core.reference.dynamo.conditions import conditions
from compiler_core.reference.dynamo.failed_guard import Failed, failed
from compiler_core.reference.dynamo.settings import words
from tests.compiler_core.reference.separated import parts


def elsewhere() -> None:
    """A function that is no snippet's."""


FILES = sorted(Path(__file__).with_name("samples").glob("*/guards/*.txt"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parts[-3]}-{f.stem}")
def test_conditions_read_as_a_person_would_write_them(file: Path, golden) -> None:
    lines = (line.split("\t") for line in file.read_text().splitlines())
    read = [c for kind, text in lines for c in conditions(kind, text, elsewhere.__code__)]
    golden("".join(f"{c.kind}, line {c.line or '-'}: {c.text}  [{c.value}]\n" for c in read))


FAILED = sorted(Path(__file__).with_name("samples").glob("*/failed/*.txt"))


@pytest.mark.parametrize("file", FAILED, ids=lambda f: f.parts[-3])
def test_failed_guards_say_what_was_and_what_is(file: Path, golden) -> None:
    read = (failed(part, VALUES, SPACES) for part in parts(file.read_text()))
    golden("".join(f"{f.kind}: {f.what}: {f.old} -> {f.new}, line {f.line or '-'}\n" for f in read))


VALUES = {"n": 4, "x": None, "act": elsewhere}
SPACES = {"SCALE": 5}
GONE = "an object that is there no more"
STACK = "value 2 from before the break"
WITHIN = "2 <= x.size(0) <= 12"


@pytest.mark.parametrize(
    "reason, read",
    [
        (
            "0/0: tensor 'x' size mismatch at index 0. expected 8, actual 9",
            Failed("size", "size 0 of x", "8", "9", guard="x is a "),
        ),
        (
            "5/0: L['___stack2'] == 1.5",
            Failed("number", "value 2 from before the break", "1.5", guard=f"{STACK} == 1.5"),
        ),
        (
            "0/2: tensor 'x' dtype mismatch. expected Float, actual Double",
            Failed("tensor", "dtype of x", "Float", "Double", guard="x is a "),
        ),
        (
            "0/3: n == 2                       # y = x * n  # <snippet>:6 in f\n"
            'User stack trace:\n  File "<snippet>", line 6, in f\n    y = x * n',
            Failed("number", "n", "2", "4", 6, "n == 2"),
        ),
        (
            "0/6: G['SCALE'] == 3               # y = x * SCALE  # <snippet>:6 in f",
            Failed("global", "SCALE", "3", "5", 6, "SCALE == 3"),
        ),
        (
            "0/1: 2 <= x.size()[0] <= 12  # if x.shape[0] > 12:  # <snippet>:8 in f (a.py:1 in b)",
            Failed("size", "x.size(0)", WITHIN, "", 8, WITHIN),
        ),
        (
            "0/1: GLOBAL_STATE changed: num_threads ",
            Failed("state", "the number of threads", "2", "1", remedy=words("num_threads").remedy),
        ),
        (
            "0/1: ___check_type_id(L['n'], 94), type=<class 'float'>  # y = n  # <snippet>:6 in f",
            Failed("type", "the type of n", "float", "int", 6),
        ),
        (
            "0/1: ___check_obj_id(act, 94), type=<class 'function'>  # act(x)  # <snippet>:6 in f",
            Failed("object", "act", "of type function", "elsewhere", 6, "act is the same object"),
        ),
        (
            "0/4: CodeGuardAccessor: Not a function on L['act'].__code__",
            Failed("object", "act", "", "elsewhere", guard="act is the same object"),
        ),
        (
            "0/2: Cache line invalidated because L['act'] got deallocated",
            Failed("object", "act", GONE, "elsewhere", guard="act is the same object"),
        ),
        (
            "0/2: L['x'] is None  # if x is None:  # <snippet>:7 in f",
            Failed("choice", "x", "None", "None", 7, "x is None"),
        ),
        (
            "0/4: tensor 'x' requires_grad mismatch. expected requires_grad=0",
            Failed("tensor", "requires_grad of x", "False", "True", guard="x is a "),
        ),
        ("0/1: what is (not) Python", Failed("other", "what is (not) Python")),
    ],
)
def test_a_failed_guard_says_what_was_and_what_is(reason: str, read: Failed) -> None:
    assert failed(reason, VALUES, SPACES, '{"num_threads":2}', '{"num_threads":1}') == read


def test_of_several_settings_each_has_its_own_value_and_remedy() -> None:
    before = '{"autocast_state":{"dtype":[15],"enabled":[false]},"default_dtype":6,"later":3}'
    now = '{"autocast_state":{"dtype":[5],"enabled":[true]},"default_dtype":7,"later":4}'
    changed = "autocast(cpu)_enabled autocast(cpu)_dtype default_dtype later"
    read = failed(f"0/1: GLOBAL_STATE changed: {changed} ", {}, {}, before, now)
    assert [(f.what, f.old, f.new) for f in (read, *read.others)] == [
        ("autocast on cpu", "off", "on"),
        ("the dtype of autocast on cpu", "bfloat16", "float16"),
        ("the default dtype", "float32", "float64"),
        ("later", "3", "4"),
    ]
    assert "torch.autocast" in read.remedy and "set_default_dtype" in read.others[1].remedy
