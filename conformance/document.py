"""docs/conformance.md from the rows of a record."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from conformance.record import KINDS, Row
from conformance.scope import in_reach

# The least share of samples in scope that is to be native.
REACH = {"opinfo forward": 0.90, "opinfo backward": 0.80, "harness forward": 0.85}
_SHOWN = ("native", "library", "refused", "wrong", "fault")
_ABOUT = {
    "opinfo": "torch's own database of operations (`op_db`)",
    "errors": "inputs that are errors in torch's own database (`error_inputs`)",
    "random": "random programs of both frameworks",
    "graphs": "random graphs of the compiler's own operations, against numpy and float64",
    "breaks": "random torch programs with graph breaks: what they return, print and change, call "
    "for call, against Python",
    "formulas": "one formula in torch and in JAX: their numbers and their graphs behind all passes",
    "metamorphic": "random programs and snippets under random passes, fusions and schedules",
    "harness": "JAX's own harnesses (`all_harnesses`)",
    "triton": "graphs of every operation and template: as Triton, compiled for all targets and "
    "interpreted, and as C",
    "snippets": "snippets as people paste them (`conformance/pasted/`)",
    "pasted": "these snippets changed by chance: a run ends with a graph or a clear sentence",
}

_HEAD = """# Conformance

Written by `make conformance`; [conformance.json](conformance.json) has the same as data. A sample
is one program of a database, captured, compiled as users get it, run, and compared with what the
framework itself gives: shapes, types, NaN and infinities, and numbers, to the framework's own
error against float64 or its type's tolerance.

- **native**: every launch is generated code, or by choice the vendor's product or convolution;
- **library**: right, with library calls, which are labelled as such;
- **refused**: not compiled, with the reason; of inputs that are errors, with the framework's own;
- **wrong**: another result than the framework's, or another error; **fault**: an
  exception of ours, or a crash.

Samples that the framework itself does not run are left out. Of each entry that was run, so many of
the samples were. Entries that were not reached have no row, nor have those without a sample: most
gradients of what is linear have no gradient of their own.
"""


def text(rows: Sequence[Row], versions: Mapping[str, str]) -> str:
    """The whole document."""
    ran = ", ".join(f"{name} {version}" for name, version in versions.items())
    parts = (line for part, each in _parts(rows) for line in _part(part, each))
    return "\n".join([_HEAD, f"Recorded with {ran}.", "", *totals(rows), *parts]) + "\n"


def _parts(rows: Iterable[Row]) -> Iterator[tuple[str, list[Row]]]:
    for part, each in groupby(sorted(rows, key=lambda r: r.key), key=lambda r: r.part):
        yield part, list(each)


_SCOPE = """Of the native share, samples of linear algebra, Fourier transforms, sparse tensors,
special functions of complex numbers and uninitialised memory are left out."""


def totals(rows: Sequence[Row]) -> Iterator[str]:
    yield from ("## Totals", "", _SCOPE, "")
    yield f"| samples | entries | run of each | {' | '.join(_SHOWN)} | native share | aim | on |"
    yield "| --- | --- | --- |" + " --- |" * (len(_SHOWN) + 3)
    for part, variant in dict.fromkeys((r.part, r.variant) for r in rows):
        those = [r for r in rows if (r.part, r.variant) == (part, variant)]
        counts = total(those)
        aim = REACH.get(f"{part} {variant.partition(' ')[0]}")
        cells = [
            f"{part} {variant}",
            str(len(those)),
            _percent(min(r.share for r in those)),
            *(str(counts[kind]) for kind in _SHOWN),
            _percent(native_share(those)) if _compiled(total(those)) else "",
            "" if aim is None else _percent(aim),
            _days(those),
        ]
        yield f"| {' | '.join(cells)} |"
    yield ""


def _days(rows: Sequence[Row]) -> str:
    """When the rows were recorded."""
    known = sorted({r.date for r in rows if r.date})
    text = " to ".join(dict.fromkeys([*known[:1], *known[-1:]]))
    return text if all(r.date for r in rows) else f"{text} and before".removeprefix(" and ")


def total(rows: Iterable[Row]) -> Counter[str]:
    """Samples by kind."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts.update(row.counts)
    return counts


def native_share(rows: Iterable[Row]) -> float:
    """Of the samples in scope: 0 to 1; 1.0 without any."""
    counts = total(r for r in rows if in_reach(r.part, r.entry, r.variant))
    count = sum(counts[kind] for kind in _SHOWN)
    return counts["native"] / count if count else 1.0


def _compiled(counts: Counter[str]) -> int:
    """How many are; of inputs that are errors, none."""
    return counts["native"] + counts["library"]


def _percent(share: float) -> str:
    return f"{share:.1%}"


def _part(part: str, rows: list[Row]) -> Iterator[str]:
    yield from (f"## {part}: {_ABOUT.get(part, part)}", "")
    yield f"| operation | {' | '.join(_SHOWN)} | why not native, or what else there is to say |"
    yield "| --- |" + " --- |" * (len(_SHOWN) + 1)
    by_entry = sorted(rows, key=lambda r: r.entry)
    for entry, each in groupby(by_entry, key=lambda r: r.entry):
        those = list(each)
        counts = total(those)
        shown = " | ".join(str(counts[kind] or "") for kind in _SHOWN)
        yield f"| {_cell(entry)} | {shown} | {_cell(_reasons(those))} |"
    yield ""


def _reasons(rows: Sequence[Row]) -> str:
    """Each reason once, the worst kind first."""
    found: dict[str, None] = {}
    for kind in reversed(KINDS):
        for row in rows if kind != "invalid" else ():
            label = "" if kind in ("library", "native") else f"{kind} ({row.variant}): "
            found.update(dict.fromkeys(label + r for r in row.reasons_of(kind)))
    shown = list(found)
    more = f"; {len(shown) - 4} more" if len(shown) > 4 else ""
    return "; ".join(shown[:4]) + more


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
