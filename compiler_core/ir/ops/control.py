"""Control flow: operations with regions (ir/control.py says how operands and regions fit)."""

from compiler_core.ir.ops.info import OpInfo


def _row(name: str, *attrs: str) -> OpInfo:
    return OpInfo(name, None, "opaque", 0, attrs, has_regions=True)


ROWS = (
    _row("while", "carried"),
    _row("scan", "length", "reverse", "carried", "scanned"),
    _row("case"),
    _row("call"),
)
