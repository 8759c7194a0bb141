"""What a person decides in the compiler's stead, to see what it is worth: passes that are switched
off, pairs of operations that may not share a kernel or are to share one, and how a kernel is run.

A value is named by what it comes from: `3.add` is the first `add` that the captured operation 3 has
become, `3.add.2` the second, in the order of the IR after the passes; `3` is everything that comes
from operation 3, and `%12` the value that the IR prints so. The first two stay the same when the
snippet is run again, by whatever overrides.
"""

import re
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta, field

from compiler_core.report.graphs import WHOLE

MAX_OVERRIDES = 64
_Name = Annotated[str, Meta(min_length=1, max_length=200)]
# The number of a program in the snippet, from 0.
_Number = Annotated[int, Meta(ge=0, le=999)]
_Values = Annotated[dict[_Name, Annotated[int, Meta(ge=0, le=2**31)] | _Name], Meta(max_length=8)]


# The plans that a schedule may belong to, by backend; blank for every plan that has the kernel.
PlanChoice = Literal["", "cpu", "gpu"]
_PLANS: dict[str, PlanChoice] = {name: name for name in get_args(PlanChoice)}


class WithoutPass(msgspec.Struct, frozen=True, tag="without", forbid_unknown_fields=True):
    """A pass that is not run, in any program."""

    name: _Name


class ForbiddenEdge(
    msgspec.Struct, frozen=True, tag="forbid", rename={"from_": "from"}, forbid_unknown_fields=True
):
    """Two values that no kernel computes both of."""

    from_: _Name
    to: _Name
    # The program, by its place in the snippet, from 0.
    program: _Number = 0


class ForcedEdge(
    msgspec.Struct, frozen=True, tag="force", rename={"from_": "from"}, forbid_unknown_fields=True
):
    """Two values that one kernel computes, where there is such a kernel, whatever it costs."""

    from_: _Name
    to: _Name
    # The program, by its place in the snippet, from 0.
    program: _Number = 0


class WantedSchedule(msgspec.Struct, frozen=True, tag="schedule", forbid_unknown_fields=True):
    """How a kernel is run: one of its candidates, with some of its parameters set by hand."""

    # The name of a value that the kernel writes, or the kernel's id.
    kernel: _Name
    # The name of the candidate.
    candidate: _Name
    # The values of the candidate's free parameters that are set.
    parameters: _Values = field(default_factory=dict)
    # The plan, "cpu" or "gpu"; blank for whichever has that candidate.
    backend: PlanChoice = ""
    # The program, by its place in the snippet, from 0.
    program: _Number = 0


Override = WithoutPass | ForbiddenEdge | ForcedEdge | WantedSchedule
OverrideState = Literal["applied", "refused"]


class Overridden(msgspec.Struct, frozen=True):
    """What became of one override."""

    override: Override
    state: OverrideState
    # Why it was refused, in one sentence.
    reason: str = ""
    # The plan that it is of, "cpu" or "gpu"; blank where it is of both.
    backend: str = ""
    graph: str = WHOLE


def spelled(override: Override) -> str:
    """The override as the command line takes it."""
    match override:
        case WithoutPass():
            return f"--without {override.name}"
        case ForbiddenEdge() | ForcedEdge():
            kind = "forbid" if isinstance(override, ForbiddenEdge) else "force"
            return f"--{kind} {_of(override.program)}{override.from_}:{override.to}"
        case WantedSchedule():
            values = ",".join(f"{name}={value}" for name, value in override.parameters.items())
            plan = f"{override.backend}:" if override.backend else ""
            chosen = f"{plan}{override.candidate}" + (f":{values}" if values else "")
            return f"--schedule {_of(override.program)}{override.kernel}={chosen}"


def _of(program: int) -> str:
    return f"{program}/" if program else ""


_EDGE = re.compile(r"(?:(?P<program>\d{1,3})/)?(?P<from>[^:=/]{1,200}):(?P<to>[^:=/]{1,200})")
_PLAN = "|".join(filter(None, _PLANS))
_SCHEDULE = re.compile(
    rf"(?:(?P<program>\d{{1,3}})/)?(?P<kernel>[^:=/]{{1,200}})=(?:(?P<backend>{_PLAN}):)?"
    r"(?P<candidate>[^:=,]{1,200})(?::(?P<values>\w+=\w+(?:,\w+=\w+)*))?"
)


def as_edge(text: str, kind: type[ForbiddenEdge | ForcedEdge]) -> ForbiddenEdge | ForcedEdge:
    """The edge that `text` names: `3.divide:5.dot_general`, `1/3:5` of the second program. Raises
    ValueError with a sentence."""
    found = _EDGE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} names no two values: write FROM:TO, such as 3.divide:5.add")
    return kind(found["from"], found["to"], int(found["program"] or 0))


def as_schedule(text: str) -> WantedSchedule:
    """The schedule that `text` asks for: `5.add=rows.2`, `k0_add=gpu:flat:num_warps=8`. Raises
    ValueError with a sentence."""
    found = _SCHEDULE.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            f"{text!r} is no schedule: write KERNEL=CANDIDATE, such as 5.add=rows.2, with values "
            "as in 5.add=flat:num_warps=8,block_p=256"
        )
    given = (each.split("=") for each in (found["values"] or "").split(",") if each)
    return WantedSchedule(
        found["kernel"],
        found["candidate"],
        {name: int(value) if value.isdecimal() else value for name, value in given},
        _PLANS[found["backend"] or ""],
        int(found["program"] or 0),
    )
