"""Small rooms: functions and files stay short enough to be read at once."""

import ast
import statistics
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("compiler_core", "worker", "webapp", "launcher", "scripts", "bench", "conformance")

LONGEST_FUNCTION, NINE_OF_TEN, MEDIAN = 70, 30, 9
LONGEST_FILE = 300


@cache
def sources() -> dict[str, str]:
    files = (file for room in ROOMS for file in (ROOT / room).rglob("*.py"))
    return {str(file.relative_to(ROOT)): file.read_text() for file in files}


@cache
def functions() -> dict[str, int]:
    """Lines of each function, by file and name."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        f"{name}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for name, text in sources().items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, kinds)
    }


def test_no_function_is_longer_than_a_screen() -> None:
    long = {name: lines for name, lines in functions().items() if lines > LONGEST_FUNCTION}
    assert not long


def test_most_functions_are_short() -> None:
    lines = sorted(functions().values())
    assert statistics.median(lines) <= MEDIAN
    assert lines[len(lines) * 9 // 10] <= NINE_OF_TEN


def test_no_file_is_a_whole_house() -> None:
    long = {
        name: lines
        for name, text in sources().items()
        if (lines := text.count("\n")) > LONGEST_FILE
    }
    assert not long, "split it where one idea ends"


def test_nothing_is_left_to_be_done() -> None:
    marks = ("TO" + "DO", "FIX" + "ME", "XX" + "X")
    left = [name for name, text in sources().items() if any(mark in text for mark in marks)]
    assert not left
