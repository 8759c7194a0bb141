"""Graphs as text with the snippet's places, and functions as Dynamo rewrote them."""

import linecache

import pytest

from compiler_core.reference.dynamo.heard import without_folders
from compiler_core.reference.dynamo.rewritten import disassembly, steps, title
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import CapturedOp
from compiler_core.snippet.source import FILE

SOURCE = "def f(x, b):\n    y = torch.relu(x + b)\n    return h(y)\n"


@pytest.fixture(autouse=True)
def snippet(monkeypatch) -> None:
    entry = (len(SOURCE), None, SOURCE.splitlines(keepends=True), FILE)
    monkeypatch.setitem(linecache.cache, FILE, entry)


def test_columns_count_from_0_here_and_from_1_in_captured_operations() -> None:
    lines = SourceLines((CapturedOp(0, "add", 2, 20), CapturedOp(1, "relu", 2, 9)))
    assert lines.at(2, 19) == [0]
    assert lines.at(2, 8) == [1]
    assert lines.at(2, 3) == lines.at(2) == [0, 1]


def test_python_runs_the_texts_of_what_is_left_in_a_function() -> None:
    namespace: dict = {}
    exec(compile(SOURCE, FILE, "exec"), namespace)
    found = [(s.line, s.text) for s in steps(namespace["f"].__code__)]
    assert found == [(2, "torch.relu(x + b)"), (3, "return h(y)")]


def test_the_rest_of_a_function_has_its_name() -> None:
    assert title("f") == "f"
    assert title("torch_dynamo_resume_in_f_at_7") == "the rest of f from line 7"


def test_bytecode_differs_in_no_address_from_run_to_run() -> None:
    code = compile("def outer():\n    def inner(): ...\n    return inner\n", FILE, "exec")
    text, lines = disassembly(code.co_consts[0])
    assert " at 0x" not in text
    assert len(lines) == len(text.splitlines())
    assert {2, 3} <= set(lines)


def test_folders_of_the_installation_are_left_out() -> None:
    text = '# File: /a/b/lib/python3.11/site-packages/torch/optim/sgd.py:3 in "/x/site-packages/y"'
    assert without_folders(text) == '# File: torch/optim/sgd.py:3 in "y"'
