"""Entries of the why-list that say the same, stored once: twelve equal blocks of a network make
twelve of each."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import structs

from compiler_core.report.findings import Finding

# Of equal entries, the compiler's own words are kept of so many.
_MOST_WORDS = 12


def merged(known: Sequence[Finding], more: Iterable[Finding]) -> list[Finding]:
    """`known`, then those of `more` that say anything else; what says the same adds its count,
    costs and operations to the first. Places of `known` stay as they are."""
    found, places = list(known), dict[str, int]()
    for at, each in enumerate(known):
        places.setdefault(_said(each), at)
    for each in more:
        at = places.setdefault(_said(each), len(found))
        if at == len(found):
            found.append(each)
        else:
            found[at] = _both(found[at], each)
    return found


def _said(finding: Finding) -> str:
    """What an entry says, and of which place."""
    f = finding
    said = f.kind, f.compiler, f.what, f.why, f.remedy, f.category, f.graph, f.trial
    return repr((said, f.line, f.column, f.stack))


def _both(first: Finding, second: Finding) -> Finding:
    words = dict.fromkeys(filter(None, (*first.raw.split("\n"), *second.raw.split("\n"))))
    own = first.raw if second.raw == first.raw else "\n".join([*words][:_MOST_WORDS])
    return structs.replace(
        first,
        nodes=[*dict.fromkeys((*first.nodes, *second.nodes))],
        bytes=_sum(first.bytes, second.bytes),
        us=_sum(first.us, second.us),
        compile_ms=_sum(first.compile_ms, second.compile_ms),
        count=first.count + second.count,
        raw=own,
    )


def _sum(first: Any, second: Any) -> Any:
    return second if first is None else first if second is None else first + second
