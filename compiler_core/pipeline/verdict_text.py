"""The sentences about wrong results: which compiler is wrong, and which reference it was compared
with."""

from collections.abc import Mapping

from compiler_core import report
from compiler_core.measure import numerics

_BY_ROUNDING = "by rounding alone or not: to find that out takes too long"
ALONE = "gives the same with torch's own back end `eager`"


def wrong_core(checked: Mapping[str, report.Numerics]) -> str:
    """How the core's result is wrong where eager's is right; "" if it is not."""
    core = checked.get("core")
    if core is None or core.ok or not checked["eager"].ok or ALONE in core.error:
        return ""
    return core.error


def wrong_ones(checked: Mapping[str, report.Numerics], why_eager: str = "") -> str:
    """A clause that names the compilers whose results are wrong; "" if none is. `why_eager` is
    added if eager's are."""
    wrong = [name for name, n in checked.items() if not n.ok and name != "eager"]
    clauses = [f"not ok: {', '.join(wrong)}"] if wrong else []
    if not checked["eager"].ok:
        known = checked["eager"].rule != numerics.NOT_KNOWN
        why_eager = why_eager if known else f"{why_eager}, {_BY_ROUNDING}"
        clauses.append(f"eager itself is further from float64 than its types allow{why_eager}")
    return "; ".join(clauses)


def by_chance(checked: Mapping[str, report.Numerics]) -> str:
    """A clause for a program whose result rounding decides, in eager too; "" for any other."""
    chaotic = checked["eager"].rule == numerics.CHAOTIC
    return "rounding decides the result, of eager too: nobody is further off than that" * chaotic


def of_eager_alone(checked: Mapping[str, report.Numerics]) -> str:
    """A clause for a program without a float64 reference; "" for any other."""
    rule = checked["eager"].rule
    return f"; {rule}" if rule.startswith(numerics.IN_OWN_TYPES) else ""
