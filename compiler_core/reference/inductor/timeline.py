"""The kernels of TorchInductor within a recorded call, each with its captured operations."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

from compiler_core.measure.recorded import Call, Prepared, Recorded, Span, record
from compiler_core.measure.torch_profile import ABOUT, marked, profile
from compiler_core.reference import lanes
from compiler_core.reference.inductor import hooks, look
from compiler_core.reference.inductor.bound import bind
from compiler_core.reference.inductor.stages import Naming, ids_by_name
from compiler_core.reference.result import Reference
from compiler_core.reference.subject import Subject
from compiler_core.report import TimelineEvent

# The beginning of the mark around a generated kernel.
_KERNEL = "fuselab: kernel "


def recorded(
    subject: Subject, reference: Reference, prepared: Prepared
) -> tuple[Recorded, list[TimelineEvent], str]:
    """Records calls of the compiled program; returns them, the events of the call that is shown,
    and a text on how they were recorded."""
    with kernels_marked(reference.modules):
        found = record(prepared, profile)
    call = found.call
    known = [*lanes.guards(call), *lanes.around(call), *events(call, origins(subject))]
    return found, [*known, *lanes.python_between(lanes.graphs(call), known)], ABOUT


@contextmanager
def kernels_marked(modules: Sequence[Any]) -> Iterator[None]:
    """Context in which the kernels that Inductor generated for a CPU are marked where `modules`
    call them."""
    with ExitStack() as stack:
        for module in modules:
            for name in hooks.generated_kernels(module):
                own = _marking(name, getattr(module, name))
                stack.enter_context(mock.patch.object(module, name, own))
        yield


def _marking(name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    def run(*given: Any) -> Any:
        with marked(_KERNEL + name):
            return kernel(*given)

    return run


@dataclass(frozen=True)
class Origins:
    """The captured operations of generated kernels, by kernel name; and of library calls, as (name
    of the function, operations) in the order in which the graphs call them."""

    kernels: dict[str, list[int]]
    calls: Sequence[tuple[str, list[int]]] = ()


def origins(subject: Subject) -> Origins:
    """The origins of the program's kernels, by having Inductor write its texts once more. For a
    program of one graph, torch forgets what it compiled before."""
    bound = bind(subject.captured, subject.framework)
    found = Origins({}, [])
    if isinstance(bound, str):
        return found
    calls = []
    for lowered in (
        x for compiled in look.recorded(subject, bound).compiled for x in compiled.lowered
    ):
        naming = Naming(subject.lines(lowered.role == "backward"))
        for name, ids in ids_by_name(naming, lowered).items():
            found.kernels[name] = sorted({*found.kernels.get(name, ()), *ids})
        units = (unit for unit in lowered.after if unit.is_call)
        calls += [(_last(unit.kind), naming.ids(unit.origins)) for unit in units]
    return Origins(found.kernels, calls)


def _last(name: str) -> str:
    """`addmm` of `call of extern_kernels.addmm` and of `aten::addmm`."""
    return name.replace("::", ".").rpartition(".")[2]


def events(call: Call, found: Origins) -> list[TimelineEvent]:
    """The kernels and library calls of a recorded call; on a GPU, what ran there."""
    device = lanes.device_spans(call)
    if device:
        return [_on_gpu(span, found) for span in device]
    spans = (s for s in call.walk() if s.name.startswith(_KERNEL))
    kernels = [_kernel(s, s.name.removeprefix(_KERNEL), found) for s in spans]
    return kernels + _calls(call, found)


def _calls(call: Call, found: Origins) -> list[TimelineEvent]:
    """The operations of a call in their order, beside the graphs' own library calls in theirs."""
    left = iter(found.calls)
    expected = next(left, None)
    events = []
    for span in lanes.operations(call):
        ids: list[int] = []
        if expected is not None and expected[0] == _last(span.name):
            ids, expected = expected[1], next(left, None)
        events.append(lanes.event(span, "library", lanes.short(span.name), nodes=ids))
    return events


def _on_gpu(span: Span, found: Origins) -> TimelineEvent:
    if lanes.is_generated(span):
        return _kernel(span, lanes.short(span.name), found)
    return lanes.event(span, "library", lanes.short(span.name))


def _kernel(span: Span, name: str, found: Origins) -> TimelineEvent:
    return lanes.event(span, "kernel", name, nodes=found.kernels.get(name, []))
