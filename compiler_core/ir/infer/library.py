"""Types of library calls: those that the call declares."""

from compiler_core.ir.graph import Region
from compiler_core.ir.infer.rule import Attrs, SeveralRule, Types


def _declared(operands: Types, attrs: Attrs, regions: tuple[Region, ...]) -> Types:
    return tuple(attrs["types"])


SEVERAL: dict[str, SeveralRule] = {"library_call": _declared}
