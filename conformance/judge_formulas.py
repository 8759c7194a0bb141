"""Whether both frameworks' lowering of one formula gives the same: numbers within rounding, and
what the canonical graphs are."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

import torch

from compiler_core.ir.graph import Region, Value
from compiler_core.ir.ops import OPS
from compiler_core.measure import numerics
from conformance import framework
from conformance.built import Built, build
from conformance.judge import judge as judge_one
from conformance.judge import raised
from conformance.sample import FormulaSample, Sample
from conformance.verdict import Verdict

SAME = "the same graph from both frameworks"


def judge(sample: FormulaSample) -> Verdict:
    """The worse of both programs' verdicts against their own frameworks, then whether they agree
    with each other."""
    found = [judge_one(each) for each in (sample.torch, sample.jax)]
    bad = next((v for v in found if v.kind in _BAD), None)
    if bad is not None:
        return bad
    try:
        one, other = build(sample.torch), build(sample.jax)
        results = one.run(), other.run()
    except Exception as error:
        return raised(error)
    off = _off(sample.torch, *results)
    if off:
        return Verdict("wrong", f"torch's and JAX's differ: {off}")
    library = next((v for v in found if v.kind == "library"), None)
    return library or Verdict("native", difference(one, other) or SAME)


_BAD = ("wrong", "fault", "refused", "invalid")


def _off(of_torch: Sample, one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> str:
    """How JAX's numbers are not torch's. Indices are i64 in one and i32 in the other."""
    exact = numerics.Reference(framework.in_float64(of_torch).result)
    alike = [y.to(x.dtype) for x, y in zip(one, other, strict=True)]
    found = numerics.check({"eager": one, "core": alike}, exact)["core"]
    return "" if found.ok else found.error


def difference(one: Built, other: Built) -> str:
    """What torch's graph behind all passes has that JAX's has not, and the other way round; ""
    where they are the same but for the order of operands that may be exchanged."""
    first, second = (_graph(x) for x in (one, other))
    keys = [[_keys(g)[x] for x in g.outputs] for g in (first, second)]
    if keys[0] == keys[1]:
        return ""
    counts = [
        Counter(o.op for o in g.walk() if OPS[o.op].fusion != "literal") for g in (first, second)
    ]
    more = (counts[0] - counts[1], counts[1] - counts[0])
    if not any(more):
        return "the same operations, otherwise arranged"
    return "; ".join(
        f"{who} alone: {_listed(c)}" for who, c in zip(("torch", "JAX"), more, strict=True) if c
    )


def _listed(ops: Counter[str]) -> str:
    return ", ".join(op if n == 1 else f"{n} {op}" for op, n in sorted(ops.items()))


def _graph(built: Built) -> Region:
    (part,) = built.compilation.parts
    assert part.graph is not None
    return part.graph


def _keys(graph: Region) -> dict[Value, str]:
    """What each value is, whatever it is called."""
    keys = {x: f"{x.type} {i}" for i, x in enumerate(graph.inputs)}
    for o in graph.operations:
        operands = [keys[x] for x in o.operands]
        if OPS[o.op].commutative:
            operands.sort()
        inner = [[_keys(r)[x] for x in r.outputs] for r in o.regions]
        whole = f"{o.op} {operands} {sorted(o.attrs)} {o.types} {inner}"
        digest = sha256(whole.encode()).hexdigest()
        keys |= {x: f"{digest} {x.index}" for x in o.results}
    return keys
