"""The texts of a partitioning: what Shardy was given and made of it, the module before and after
the partitioner."""

import re
from collections.abc import Iterator

from compiler_core import report
from compiler_core.reference.result import artifact
from compiler_core.reference.xla import hlo
from compiler_core.reference.xla.dump import Dump, Snapshot
from compiler_core.reference.xla.places import Places
from compiler_core.reference.xla.texts import shown

# Which dimensions of operands and result belong together, for each operation: Shardy's working,
# and most of the text.
_RULE = re.compile(
    r"(?:, )?sdy\.sharding_rule = #sdy\.op_sharding_rule<\([^{}]*\)->\([^{}]*\) \{[^{}]*\}[^>]*>"
)
_EMPTY = re.compile(r" \{\}(?= :)")
_PARTITIONER = "spmd-partitioning"
# What the module goes through with it is of one pipeline.
_PIPELINE = "spmd-partitioner"
_SHARDY = "sdy."


def annotations(text: str) -> str:
    """Who says how values are divided in a StableHLO module."""
    if _SHARDY in text:
        return "annotated for Shardy: sdy.sharding"
    return "annotated for GSPMD: mhlo.sharding" if "mhlo.sharding" in text else "no annotations"


def propagation(dump: Dump) -> report.Stage | None:
    """Shardy's module before and after it spread what was annotated to every value; None where
    Shardy is off, or writes it under other names."""
    before, after = (_text(dump, f"{side}_propagation.mlir") for side in ("before", "after"))
    if not before or not after:
        return None
    said = "what the snippet says of some values is spread to all"
    texts = [artifact("before", "stablehlo", before), artifact("after", "stablehlo", after)]
    return report.Stage("propagation", "ok", 0.0, texts, summary=said)


def _text(dump: Dump, end: str) -> str:
    return _EMPTY.sub("", _RULE.sub("", dump.ending(end)))


def partitioning(dump: Dump) -> tuple[hlo.Module, hlo.Module] | None:
    """The module before and after the pass that makes of it the module of one device; None where
    there is no such pass."""
    snapshots = [s for s in dump.snapshots() if s.pipeline == _PIPELINE]
    at = next((n for n, s in enumerate(snapshots) if s.pass_ == _PARTITIONER), 0)
    before = _last_before(snapshots[:at])
    return (before, hlo.parse(snapshots[at].text)) if at and before else None


def _last_before(snapshots: list[Snapshot]) -> hlo.Module | None:
    return hlo.parse(snapshots[-1].text) if snapshots else None


def partitioner(before: hlo.Module, after: hlo.Module, places: Places) -> Iterator[report.Stage]:
    """The stage that shows it."""
    texts = [shown("before", before, places), shown("after", after, places)]
    said = "of the module for all devices, the one that each device runs"
    yield report.Stage("partitioner", "ok", 0.0, texts, summary=said)
