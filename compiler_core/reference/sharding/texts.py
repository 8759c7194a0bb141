"""The texts of a partitioning: the module before and after Shardy's propagation, and before and
after the partitioner."""

import re
from collections.abc import Iterator

from compiler_core import report
from compiler_core.reference.result import artifact
from compiler_core.reference.xla import hlo
from compiler_core.reference.xla.dump import Dump, Snapshot
from compiler_core.reference.xla.places import Places
from compiler_core.reference.xla.texts import shown

# An operation's sharding rule, which relates dimensions of its operands and results: derived by
# Shardy, and most of the text.
_RULE = re.compile(
    r"(?:, )?sdy\.sharding_rule = #sdy\.op_sharding_rule<\([^{}]*\)->\([^{}]*\) \{[^{}]*\}[^>]*>"
)
_EMPTY = re.compile(r" \{\}(?= :)")
_PARTITIONER = "spmd-partitioning"
# The pipeline that this pass belongs to.
_PIPELINE = "spmd-partitioner"
_SHARDY = "sdy."


def annotations(text: str) -> str:
    """One line that says by which annotations a StableHLO module is sharded."""
    if _SHARDY in text:
        return "annotated for Shardy: sdy.sharding"
    return "annotated for GSPMD: mhlo.sharding" if "mhlo.sharding" in text else "no annotations"


def propagation(dump: Dump) -> report.Stage | None:
    """The stage with the module before and after Shardy propagated shardings to all values; None if
    Shardy is off or its dumps have other names."""
    before, after = (_text(dump, f"{side}_propagation.mlir") for side in ("before", "after"))
    if not before or not after:
        return None
    summary = "shardings propagated from annotated values to all others"
    texts = [artifact("before", "stablehlo", before), artifact("after", "stablehlo", after)]
    return report.Stage("propagation", "ok", 0.0, texts, summary=summary)


def _text(dump: Dump, end: str) -> str:
    return _EMPTY.sub("", _RULE.sub("", dump.ending(end)))


def partitioning(dump: Dump) -> tuple[hlo.Module, hlo.Module] | None:
    """The module before and after the pass that partitions it into the module of one device; None
    if there was no such pass."""
    snapshots = [s for s in dump.snapshots() if s.pipeline == _PIPELINE]
    at = next((n for n, s in enumerate(snapshots) if s.pass_ == _PARTITIONER), 0)
    before = _last_before(snapshots[:at])
    return (before, hlo.parse(snapshots[at].text)) if at and before else None


def _last_before(snapshots: list[Snapshot]) -> hlo.Module | None:
    return hlo.parse(snapshots[-1].text) if snapshots else None


def partitioner(before: hlo.Module, after: hlo.Module, places: Places) -> Iterator[report.Stage]:
    """The stage with the module before and after the partitioner."""
    texts = [shown("before", before, places), shown("after", after, places)]
    summary = "the module for all devices, partitioned into the one that each device runs"
    yield report.Stage("partitioner", "ok", 0.0, texts, summary=summary)
