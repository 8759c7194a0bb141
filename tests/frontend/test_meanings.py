"""What a text of the core may hold is explained where the pointer rests on it."""

import re
from pathlib import Path
from types import FunctionType

import triton.language as tl
from triton.language.extra import libdevice

from compiler_core.ir import ops

ROOT = Path(__file__).resolve().parents[2]
SENTENCES = (ROOT / "frontend" / "src" / "lib" / "operations.ts").read_text(encoding="utf-8")
PRINTER = ROOT / "compiler_core" / "codegen" / "triton"


def explained(table: str) -> set[str]:
    """The names that a table of sentences has."""
    found = re.search(
        rf"const {table}: Sentences = {{(.*?)^}};", SENTENCES, re.DOTALL | re.MULTILINE
    )
    assert found, table
    return set(re.findall(r'^  "?([\w.]+)"?:', found[1], re.MULTILINE))


def test_every_operation_of_the_ir_is_explained() -> None:
    assert explained("TENSORS") == set(ops.OPS)


def test_every_function_that_the_triton_printer_writes_is_explained() -> None:
    texts = [file.read_text(encoding="utf-8") for file in PRINTER.glob("*.py")]
    named = {name for text in texts for name in re.findall(r"\b(tl|libdevice)\.(\w+)", text)}
    modules = {"tl": tl, "libdevice": libdevice}
    functions = {
        f"{module}.{name}"
        for module, name in named
        if is_function(getattr(modules[module], name, None))
    }
    assert len(functions) > 30
    assert functions <= explained("TRITON")


def is_function(named: object) -> bool:
    """Of the language or of its library, which are functions and those that a decorator made."""
    return isinstance(named, FunctionType) or type(named).__name__ == "JITFunction"
