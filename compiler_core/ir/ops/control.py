"""Control flow: operations with regions (ir/control.py says how operands and regions fit)."""

from compiler_core.ir.ops.info import OpInfo, Regions


def _row(name: str, regions: Regions, *attrs: str) -> OpInfo:
    return OpInfo(name, None, "opaque", 0, attrs, regions=regions)


ROWS = (
    _row("while", "loop", "carried"),
    _row("scan", "loop", "length", "reverse", "carried", "scanned"),
    _row("case", "branches"),
    _row("call", "once"),
)
