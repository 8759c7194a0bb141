"""A step that a library runs, on any target."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from compiler_core.plan.plan import Launch
from compiler_core.plan.sort import Sort


@dataclass(frozen=True, slots=True)
class LibrarySchedule:
    """A library runs the step; `strategy` names it."""

    strategy: str
    reason: str = ""
    parameters: Mapping[str, int | str] = field(default_factory=dict)


def sort_by_library(step: Sort, reason: str) -> Launch:
    """The step run by the framework, with the reason."""
    reason = f"{step.kind}: {reason}"
    return Launch(step.by_library(reason), LibrarySchedule("library", reason))
