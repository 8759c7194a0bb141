"""Windows in the columns strategy: positions outside of the operand are skipped instead of masked.

A mask such as 0 <= 2*i + r - 1 < n becomes the bounds of the loop over i; a mask that does not
depend on i becomes an `if` around it. The loop itself has no branch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from compiler_core.codegen.c.body import Body, affine
from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.sizes import atom
from compiler_core.kernel.access import Affine
from compiler_core.kernel.affine import add, scale
from compiler_core.kernel.effects import Effect, Reduce
from compiler_core.kernel.kernel import Axis, Compute, Const, Kernel
from compiler_core.kernel.ranges import Test, conjunction, specialise


@dataclass(frozen=True, slots=True)
class Inside:
    """The region where the effects of a phase do not merely combine identities: the `kernel`
    specialised to it, its `effects`, and the comparisons that define it."""

    kernel: Kernel
    effects: Sequence[Effect]
    tests: tuple[Test, ...]


def inside(kernel: Kernel, effects: Sequence[Effect]) -> Inside | None:
    """The region that all effects share; None unless all of them combine identities outside of one
    common mask."""
    masks = {_mask(kernel, e) for e in effects}
    mask = masks.pop()
    tests = conjunction(kernel, mask) if mask and not masks else None
    if not tests:
        return None
    known = specialise(kernel, {}, {mask: True})
    number = next(i for i, p in enumerate(kernel.phases) if effects[0] in p.effects)
    pairs = zip(kernel.phases[number].effects, known.phases[number].effects, strict=True)
    return Inside(known, [new for old, new in pairs if old in effects], tests)


def _mask(kernel: Kernel, e: Effect) -> str:
    """The mask outside of which a reduction combines its identity; "" if there is none."""
    if not isinstance(e, Reduce):
        return ""
    chosen = [d for a in e.args if isinstance(d := kernel.definitions.get(a), Compute)]
    masks = {d.args[0] for d in chosen if d.op == "select"}
    if len(chosen) < len(e.args) or len(masks) != 1:
        return ""
    others = [kernel.definitions.get(d.args[2]) for d in chosen]
    values = tuple(x.value if isinstance(x, Const) else None for x in others)
    return masks.pop() if values == MONOIDS[e.monoid].identity(chosen[0].dtype) else ""


def conditions(found: Inside, last: Axis) -> str:
    """The comparisons that do not depend on `last`, as a C condition."""
    around = [t for t in found.tests if t.index.stride(last.name) == 0]
    return " && ".join(
        f"{affine(t.index, {})} {'>=' if t.above else '<'} {t.bound}" for t in around
    )


def limits(body: Body, found: Inside, last: Axis, low: str, high: str) -> tuple[str, str]:
    """The bounds of the loop over `last` between `low` and `high`, as variables that are defined
    here."""
    for name, end, above, sign in (("low", low, True, ">"), ("high", high, False, "<")):
        turns = [
            _turn(t, last)
            for t in found.tests
            if t.index.stride(last.name) != 0 and t.above == above
        ]
        for number, turn in enumerate(turns):
            now = name if number else end
            kind = "" if number else f"{body.index} "
            body.w.line(f"{kind}{name} = {turn} {sign} {now} ? {turn} : {now};")
        if turns:
            low, high = (name, high) if above else (low, name)
    return low, high


def _turn(test: Test, last: Axis) -> str:
    """The first index along `last` with index >= bound: below 0 it may be any that is."""
    stride = test.index.stride(last.name)
    rest = Affine(tuple(t for t in test.index.terms if t[0] != last.name), test.index.offset)
    distance = add(Affine((), test.bound + stride - 1), scale(rest, -1))
    text = affine(distance, {})
    return text if stride == 1 else f"({text}) / {atom(stride)}"
