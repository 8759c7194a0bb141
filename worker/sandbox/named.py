"""Whom a report may tell of: times and errors are of compilers that its run asked for, and all else
of one that there is."""

from typing import Any

from msgspec import structs

from compiler_core.report import COMPILERS, INSIDES, Facts

# Blank is the core. What is seen of others without being asked for, as TorchDynamo's graph breaks,
# goes by the snippet: it may be any of them.
KNOWN = frozenset(("", *(c.id for c in COMPILERS), *(inside.id for inside in INSIDES)))
_BY_COMPILER = ("timings", "numerics", "outputs")


def not_asked(name: str) -> str:
    """What is said of a name that may not be there."""
    return f"a compiler {name!r}, which was not asked for"


def of_known(event: Facts, asked: frozenset[str]) -> tuple[Facts, str]:
    """`event` without what it says of others, and the first of these; "" where there is none."""
    changed, others = dict[str, Any](), list[str]()
    for field in structs.fields(Facts):
        given = getattr(event, field.name)
        if field.name in _BY_COMPILER and given:
            kept: Any = {name: each for name, each in given.items() if name in asked}
            others += [name for name in given if name not in asked]
        elif isinstance(given, list) and given and hasattr(given[0], "compiler"):
            kept = [each for each in given if each.compiler in KNOWN]
            others += [each.compiler for each in given if each.compiler not in KNOWN]
        else:
            continue
        if len(kept) < len(given):
            changed[field.name] = kept
    if event.measurement is not None:
        fastest = event.measurement.fastest
        others += [name for name in fastest if name not in asked]
        able = [name for name in fastest if name in asked]
        changed["measurement"] = structs.replace(event.measurement, fastest=able)
    return structs.replace(event, **changed), not_asked(others[0]) if others else ""
