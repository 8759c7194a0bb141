"""Type rules: operand types and attributes -> result types, or VerifyError.

The rules are StableHLO's: no implicit broadcast, no implicit promotion; front ends broadcast and
convert explicitly (ir/build.py has helpers). There is one file for each family of operations.
"""

from compiler_core.ir import ops
from compiler_core.ir.families import collect
from compiler_core.ir.graph import Region
from compiler_core.ir.infer.rule import Attrs, Rule, SeveralRule, Types, check

# Inputs of type rules that a built operation keeps in its types only.
IMPLIED = frozenset({"type", "types", "shape", "dtype"})

# Attributes that any operation may have: they tell a reader of the text what a value stands for
# (`complex`: which part of complex numbers), and nothing is computed by them.
NOTES = frozenset({"complex"})

RULES: dict[str, Rule] = collect(__name__, "RULES")

# The operations with any number of results, or with regions.
SEVERAL: dict[str, SeveralRule] = collect(__name__, "SEVERAL")


def infer(op: str, operands: Types, attrs: Attrs, regions: tuple[Region, ...] = ()) -> Types:
    """The result types of `op`. Raises VerifyError naming the operands that do not fit."""
    info = ops.OPS.get(op)
    check(info is not None, lambda: f"there is no operation {op}")
    assert info is not None
    if info.arity is not None:
        check(
            len(operands) == info.arity,
            lambda: f"{op} takes {info.arity} operands, not {len(operands)}",
        )
    named = {*attrs} - IMPLIED - NOTES
    check(named == {*info.attrs}, lambda: _attributes(op, named, {*info.attrs}))
    if op in SEVERAL:
        return SEVERAL[op](operands, attrs, regions)
    return (RULES[op](operands, attrs),)


def _attributes(op: str, has: set[str], takes: set[str]) -> str:
    words = (", ".join(sorted(names)) or "none" for names in (takes, has))
    return "{} takes the attributes {}, and has {}".format(op, *words)
