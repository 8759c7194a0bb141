"""Steps answer the same questions, so that nobody asks which kind one is; which code a kind has is
looked up in a table."""

import ast
from collections.abc import Iterator
from pathlib import Path

import compiler_core
from compiler_core.plan.choose import _ON_CPU, _ON_GPU
from compiler_core.plan.gpu.sort_passes import SortPass

CORE = Path(compiler_core.__file__).parent
# Printers know the kinds that they print.
ROOMS = ("analysis", "backends", "fuse", "measure", "pipeline", "plan", "report", "runtime")
KINDS = {kind.__name__ for kind in (*_ON_CPU, SortPass)}


def asked(text: str) -> Iterator[str]:
    """The classes that a text tests values for."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]):
                yield from (x.id for x in ast.walk(kinds) if isinstance(x, ast.Name))
            case ast.MatchClass(cls=ast.Name(id=name)):
                yield name


def test_both_targets_have_a_row_for_every_kind() -> None:
    assert set(_ON_CPU) == set(_ON_GPU)


def test_no_step_is_asked_for_its_kind() -> None:
    files = (file for room in ROOMS for file in (CORE / room).rglob("*.py"))
    found = {
        str(file.relative_to(CORE)): sorted(kinds)
        for file in files
        if (kinds := KINDS & set(asked(file.read_text())))
    }
    # A step within another, and the step that is a convolution, at the sizes of a call.
    assert found == {"plan/binding.py": ["ConvolutionStep"]}


def test_a_test_of_a_kind_would_be_found() -> None:
    text = "isinstance(x, (A, B | C))\nmatch x:\n case D(): pass\n"
    assert set(asked(text)) == {"A", "B", "C", "D"}
