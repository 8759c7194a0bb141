"""Small rooms: functions and files stay short enough to be read at once, and what has a term of the
field is named by it."""

import ast
import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("compiler_core", "worker", "webapp", "launcher", "scripts", "bench", "conformance")

LONGEST_FUNCTION, NINE_OF_TEN, MEDIAN = 70, 30, 9
LONGEST_FILE, LONGEST_TEST_FILE = 300, 400

# Words that names of the compiler and of its benchmarks once had for what has a better one.
BETTER = {
    "behind": "base, or after", "border": "interop", "held": "storage, or the noun",
    "judging": "evaluation", "made": "result, or the noun", "muted": "suppressed",
    "pinned": "materialized", "secretly": "undeclared", "tidy": "canonicalize",
    "told": "notified, or reported", "voice": "stream",
}  # fmt: skip
# Fields of stored reports and of recorded results.
STORED = {"held_eager", "made"}


@cache
def sources() -> dict[str, str]:
    files = (file for room in ROOMS for file in (ROOT / room).rglob("*.py"))
    return {str(file.relative_to(ROOT)): file.read_text() for file in files}


@dataclass
class Parsed:
    """Of a file: the lines of each of its functions, and all names that it gives."""

    functions: dict[str, int] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)


@cache
def parsed() -> dict[str, Parsed]:
    """By file; to parse them takes longer than all else."""
    found = {name: Parsed() for name in sources()}
    for file, text in sources().items():
        for node in ast.walk(ast.parse(text)):
            found[file].names.update(named(node))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                found[file].functions[f"{file}:{node.lineno} {node.name}"] = lines
    return found


def functions() -> dict[str, int]:
    """Lines of each function, by file and name."""
    return {name: lines for each in parsed().values() for name, lines in each.functions.items()}


def named(node: ast.AST) -> Iterator[str]:
    """The names that a node gives."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.Attribute(attr=name, ctx=ast.Store()):
            yield name
        case ast.alias(asname=str(name)):
            yield name


def worse(name: str) -> set[str]:
    """The words of a name that have a better one."""
    return BETTER.keys() & set(re.findall(r"[a-z]+", re.sub("([A-Z])", r"_\1", name).lower()))


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


def test_no_file_of_tests_is_a_whole_house() -> None:
    long = {
        str(file.relative_to(ROOT)): lines
        for file in (ROOT / "tests").rglob("*.py")
        if (lines := file.read_text().count("\n")) > LONGEST_TEST_FILE
    }
    assert not long, "split it where one idea ends"


def test_nothing_is_left_to_be_done() -> None:
    marks = ("TO" + "DO", "FIX" + "ME", "XX" + "X")
    left = [name for name, text in sources().items() if any(mark in text for mark in marks)]
    assert not left


def test_what_has_a_term_of_the_field_is_named_by_it() -> None:
    found = {
        (file, name): [BETTER[word] for word in words]
        for file, each in parsed().items()
        if file.startswith(("compiler_core/", "bench/"))
        for name in {Path(file).stem, *each.names} - STORED
        if (words := worse(name))
    }
    assert found == {}


def test_a_worse_name_would_be_found() -> None:
    text = "class Voice:\n def secretly_written(self, isHeld): x.told = (y := 1); import m as tidy"
    names = [name for node in ast.walk(ast.parse(text)) for name in named(node)]
    assert {word for name in names for word in worse(name)} == {
        "voice", "secretly", "held", "told", "tidy",
    }  # fmt: skip
