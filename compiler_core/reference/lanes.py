"""A recorded call as the events of a lane, each with its captured operations."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from msgspec import structs

from compiler_core import report
from compiler_core.measure.instructions import Instructions
from compiler_core.measure.recorded import Call, Span
from compiler_core.measure.torch_profile import DEVICE
from compiler_core.reference.source_lines import SourceLines
from compiler_core.snippet.source import Place

Event = report.TimelineEvent

# The beginnings of the names of torch's own spans.
_GUARDS = "TorchDynamo Cache Lookup"
_COMPILED = ("## Call CompiledFxGraph",)
_AROUND = {
    "Pregraph bytecode": "bytecode before the graph",
    "AOTDispatcher Runtime Wrapper Prologue": "wrapper of AOTAutograd",
}
_AUTOGRAD = ("autograd::", "torch::autograd")
# The beginnings of the names of CUDA calls that enqueue work on a stream.
_LAUNCHES = ("cudaLaunch", "cuLaunch", "cudaMemcpy", "cudaMemset")
_TRITON = "triton_"
_DISPATCHED = "PjitFunction("
# Shorter gaps between graphs are the cost of calling, not Python.
_LEAST_PYTHON_US = 1.0


def event(span: Span, kind: report.EventKind, name: str = "", **about: object) -> Event:
    """A span as an event."""
    result = Event(span.start_us, span.duration_us, kind, name or span.name)
    return structs.replace(result, **about)


# -- what an eager call runs


def operations(call: Call) -> list[Span]:
    """The operations that a torch program calls, without those that operations call themselves."""
    return list(_outermost(call.spans, _is_operation))


def dispatched(call: Call) -> list[Span]:
    """The functions that a JAX program calls, which are compiled one by one."""
    return list(_outermost(call.spans, lambda s: s.name.startswith(_DISPATCHED)))


def _is_operation(span: Span) -> bool:
    return "::" in span.name and not span.name.startswith(_AUTOGRAD) and DEVICE not in span.tags


def _outermost(spans: Iterable[Span], wanted: Callable[[Span], bool]) -> Iterator[Span]:
    for span in spans:
        if wanted(span):
            yield span
        else:
            yield from _outermost(span.inner, wanted)


def short(name: str) -> str:
    """`aten::add` as aten.add, `PjitFunction(add)` as add, a GPU kernel without its arguments."""
    if name.startswith(_DISPATCHED):
        return name.removeprefix(_DISPATCHED).rstrip(")").removeprefix("jit(")
    return name.removeprefix("void ").split("(")[0].split("<")[0].replace("::", ".")


@dataclass(frozen=True)
class Eager:
    """Events of eager calls: `shown` selects the spans to show. The places of operations are known
    from the call `traced`, in which the snippet's instructions were traced as well."""

    shown: Callable[[Call], list[Span]]
    lines: SourceLines
    traced: Call
    instructions: Instructions

    def events(self, call: Call) -> list[Event]:
        """Each operation, or the GPU kernels that it launched, with its place, if the traced call
        has the same operations."""
        spans = self.shown(call)
        places = self._places([s.name for s in spans])
        return [*_on_gpu(call, spans, places, self._event)] or [
            self._event(span, place) for span, place in zip(spans, places, strict=True)
        ]

    def _places(self, names: Sequence[str]) -> list[Place | None]:
        known = self.shown(self.traced)
        if [s.name for s in known] != list(names):
            return [None] * len(names)
        began = self.traced.began_ns
        return [self.instructions.place(began + int(s.middle_us * 1e3)) for s in known]

    def _event(self, span: Span, place: Place | None) -> Event:
        line, column = place[:2] if place else (None, 1)
        here = self.lines.at(line, column - 1)
        name = short(span.name)
        named = [node.id for node in self.lines.nodes if node.id in here and _same(node.op, name)]
        return event(span, "library", name, nodes=named or here, line=line)


def _same(op: str, name: str) -> bool:
    """Whether a captured operation has the name of a recorded one, in either framework's words."""
    return op.removeprefix("aten.").split(".")[0] == name.removeprefix("aten.")


def _on_gpu(
    call: Call,
    spans: Sequence[Span],
    places: Sequence[Place | None],
    as_event: Callable[[Span, Place | None], Event],
) -> Iterator[Event]:
    """What ran on the GPU, in the order in which the operations launched it; nothing where nothing
    did."""
    launches = [
        place
        for span, place in zip(spans, places, strict=True)
        for each in span.walk()
        if each.name.startswith(_LAUNCHES)
    ]
    device = device_spans(call)
    known = launches if len(launches) == len(device) else [None] * len(device)
    yield from map(as_event, device, known)


def device_spans(call: Call) -> list[Span]:
    """The spans on the GPU, in order."""
    return [span for span in call.walk() if DEVICE in span.tags]


# -- what a compiled call runs, by torch


def guards(call: Call) -> list[Event]:
    """TorchDynamo's checks whether a compiled graph fits the call."""
    found = (span for span in call.walk() if span.name.startswith(_GUARDS))
    return [event(span, "guards", "guard checks") for span in found]


def around(call: Call) -> list[Event]:
    """What torch does before a compiled graph runs."""
    return [
        event(span, "overhead", _AROUND[span.name]) for span in call.walk() if span.name in _AROUND
    ]


def graphs(call: Call) -> list[Span]:
    """The runs of TorchInductor's compiled graphs."""
    return list(_outermost(call.spans, lambda s: s.name.startswith(_COMPILED)))


def within(span: Span, spans: Iterable[Span]) -> bool:
    """Whether the middle of `span` is within one of `spans`."""
    return any(each.start_us <= span.middle_us <= each.end_us for each in spans)


def python_between(graphs: Sequence[Span], known: Iterable[Event]) -> list[Event]:
    """The time between two graphs that no event covers: Python."""
    covered = sorted((e.start_us, e.start_us + e.duration_us) for e in known)
    pieces = []
    for before, after in pairwise(graphs):
        at = before.end_us
        inside = [c for c in covered if before.end_us <= c[0] < after.start_us]
        for start, end in (*inside, (after.start_us, after.start_us)):
            pieces.append((at, start))
            at = max(at, end)
    return [
        Event(start, end - start, "python", "Python between graphs")
        for start, end in pieces
        if end - start >= _LEAST_PYTHON_US
    ]


def is_generated(span: Span) -> bool:
    """Whether a GPU kernel was generated, rather than a library's."""
    return span.name.startswith(_TRITON)
