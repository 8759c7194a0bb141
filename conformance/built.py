"""A sample through the pipeline's own stages: captured, rewritten, fused, planned, printed,
compiled and linked, as users get it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from compiler_core import report
from compiler_core.backends.registry import running
from compiler_core.capture.torch.arguments import Arguments
from compiler_core.capture.torch.names import argument_names
from compiler_core.interop.arrays import to_torch_all, torch_leaves
from compiler_core.measure.intermediate_rounding import by_operations
from compiler_core.measure.rounding import coarsest_unit
from compiler_core.measure.run import orders, reference
from compiler_core.measure.sort_places import Places, Taken
from compiler_core.pipeline.context import Compilation, Emit, no_lease
from compiler_core.pipeline.order import PIPELINE
from compiler_core.pipeline.stage_by_stage import run
from compiler_core.plan.plan import Launch
from compiler_core.snippet.program import FoundProgram
from conformance.device import device
from conformance.framework import SEED, Own
from conformance.knobs import turned
from conformance.sample import Sample

_BUILDING = PIPELINE[: [stage.name for stage in PIPELINE].index("reference")]


@dataclass(frozen=True)
class Built:
    """The compiled program of a sample."""

    compilation: Compilation

    def run(self) -> list[torch.Tensor]:
        """One call on the sample's arguments: flat tensors in the order of `expected`."""
        captured, executable = self.compilation.captured, self.compilation.executable
        assert captured is not None and executable is not None
        torch.manual_seed(SEED)
        if captured.session is None:
            with torch.no_grad():
                return torch_leaves(executable(to_torch_all(captured.arguments)))
        session = captured.session
        try:
            result = session.compiled(session.prepare(captured.arguments))
            return [x.clone() for x in session.outputs(result)]
        finally:
            session.restore()

    def expected(self, own: Own) -> list[torch.Tensor]:
        """What `run` has to give, of what the framework gave."""
        captured, program = self.compilation.captured, self.compilation.program
        assert captured is not None
        if captured.session is not None:
            return [*own.result, *own.numbers, *own.after, *own.gradients]
        if not captured.written:
            return own.result
        arguments = Arguments(program.args, program.kwargs)
        names = argument_names(program.fn, program.args, program.kwargs)
        after = dict(zip((names[i] for i in arguments.places), own.after, strict=True))
        return [*own.result, *((own.kept | after)[name] for name in captured.written)]

    def places(self) -> tuple[tuple[Places | Taken, Sequence[torch.Tensor]], ...]:
        """The outputs that are places of elements: which of equal ones comes first is left open."""
        captured = self.compilation.captured
        assert captured is not None
        return reference(captured, captured.arguments).keys if orders(captured) else ()

    def coarsest_unit(self) -> float:
        """Of the coarsest floating-point type that the program computes in, relative to 1."""
        captured = self.compilation.captured
        assert captured is not None
        return coarsest_unit(captured)

    def by_operations(self) -> bool:
        """Whether its framework is torch, with operations alone, which modes can look at."""
        captured = self.compilation.captured
        assert captured is not None
        return self.compilation.program.framework == "torch" and by_operations(captured)

    def library_calls(self) -> list[str]:
        """The launches that a library runs for want of a kernel of ours, with the reasons."""
        return library_calls(self._launches())

    def in_python(self) -> bool:
        """Whether no part of the program became a graph."""
        return not self.compilation.parts

    def _launches(self) -> Iterator[Launch]:
        for part in self.compilation.parts:
            assert part.running.plan is not None
            yield from part.running.plan.walk()


def library_calls(launches: Iterable[Launch]) -> list[str]:
    """Those of the launches that a library runs for want of a kernel of ours, with the reasons."""
    steps = ((x.step, x.schedule) for x in launches)
    found = (x for x in steps if x[0].library and not x[0].by_design and not x[0].plans)
    return list(dict.fromkeys(f"{step.library}: {how.reason}" for step, how in found))


def build(sample: Sample) -> Built:
    """Raises what a stage raises."""
    c = _compilation(sample, lambda event: None)
    with turned(sample.knobs):
        for stage in _BUILDING:
            for at in stage.places(c):
                if stage.ready(*at):
                    stage.run(*at)
    return Built(c)


def failures(sample: Sample) -> list[report.Failure]:
    """What a report says to have ended the program, over all of its stages."""
    found: list[report.Failure] = []

    def emit(event: Any) -> None:
        if isinstance(event, report.ProgramFailed):
            found.append(event.error)

    with turned(sample.knobs):
        run(_compilation(sample, emit), PIPELINE)
    return found


def _compilation(sample: Sample, emit: Emit) -> Compilation:
    program = FoundProgram("f", sample.framework, None, sample.fn, sample.args, sample.kwargs)
    on = device()
    options = report.Options(device=on, measure=False)
    return Compilation(0, program, options, on, emit, no_lease, (running(on),))
