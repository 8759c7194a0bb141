"""What looking into a compiler costs: `python -m bench.looks [--rounds 7]`.

`gelu(x + b)` in one warm process. In each round every row is done once, in turn: TorchInductor's
and XLA's plain compilations as they are timed in a run, and the looks, each with all that it shows.
Below them stand the budgets, each a median over the rounds of what the rows of one round give: a
machine that has other work to do makes all of a round slow. Processor time is that of all threads
and of the compilers that are called; it says more than the clock on such a machine.
"""

import argparse
import os
import resource
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from compiler_core import capture, pipeline, reference, report
from compiler_core.reference.inductor import look as inductor
from compiler_core.reference.inductor.arguments import CompileArguments
from compiler_core.reference.inductor.bound import bind
from compiler_core.reference.inductor.look import of_lowered
from compiler_core.reference.inductor.on_gpu import on_gpu
from compiler_core.reference.inductor.stages import Naming
from compiler_core.reference.subject import Subject
from compiler_core.reference.xla import dump
from compiler_core.reference.xla import look as xla
from compiler_core.reference.xla.bound import bind as bind_xla
from compiler_core.schedule.targets import resolve
from compiler_core.snippet.program import FoundProgram

_TARGET: report.Target = "sm_90"


@dataclass(frozen=True)
class Took:
    """Milliseconds by the clock, and of processors."""

    wall: float
    cpu: float


# The rows of one round, by their names.
Round = dict[str, Took]


@dataclass(frozen=True)
class Budget:
    """What the rows of a round must not exceed, in milliseconds by the clock or as a ratio."""

    of: Callable[[dict[str, float]], float]
    most: float
    unit: str


BUDGETS = {
    "TorchInductor with its look, beside its plain compilation": Budget(
        lambda ms: 1 + ms["inductor, look"] / ms["inductor, plain"], 1.5, "x"
    ),
    "XLA's snapshots, more than its plain compilation": Budget(
        lambda ms: ms["xla, snapshots"] - ms["xla, plain"], 50, "ms"
    ),
    "TorchInductor's text for a GPU, with its fusion log": Budget(
        lambda ms: ms["inductor, Triton of it"], 600, "ms"
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.looks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    pipeline.warm()
    rows = _rows(_subject())
    load = os.getloadavg()[0]
    rounds = [{name: _timed(run) for name, run in rows.items()} for _ in range(args.rounds + 1)]
    print(f"load before: {load:.1f}", to_text(rounds[1:]), sep="\n")


def _timed(run: Callable[[], Any]) -> Took:
    jax.clear_caches()  # XLA keeps what it has compiled
    begun, used = time.perf_counter(), _used()
    run()
    return Took((time.perf_counter() - begun) * 1e3, (_used() - used) * 1e3)


def _used() -> float:
    """The seconds of processors that this process and those that it has waited for have had."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def _subject() -> Subject:
    import torch
    from torch.nn.functional import gelu

    x, b = torch.randn(4096, 1024), torch.randn(1024)
    program = FoundProgram("f", "torch", 1, lambda x, b: gelu(x + b), (x, b))
    return Subject(program, capture.capture(program), report.Options(target=_TARGET))


def _rows(subject: Subject) -> dict[str, Callable[[], Any]]:
    """What is timed, by its name; the first two are what the others stand beside."""
    captured, framework = subject.captured, subject.framework
    bound, bound_xla = bind(captured, framework), bind_xla(captured, framework)
    assert not isinstance(bound, str) and not isinstance(bound_xla, str)
    (module,) = bound_xla
    lowered = inductor.recorded(subject, bound).compiled[0]
    target = resolve(_TARGET)

    def triton() -> list[Any]:
        (found,) = on_gpu(lowered, target, CompileArguments({})).compiled
        naming = Naming(subject.lines(backward=False), target.name, backend="gpu")
        return [item for each in found.lowered for item in of_lowered(naming, each, "Triton")]

    return {
        "inductor, plain": lambda: reference.prepare("inductor", captured, framework),
        "inductor, look": lambda: list(inductor.look(subject)),
        "inductor, Triton of it": triton,
        "xla, plain": lambda: module.lower().compile(),
        "xla, snapshots": lambda: dump.compile_with_dump(module.lower()),
        "xla, look": lambda: list(xla.look(subject)),
    }


def to_text(rounds: Sequence[Round]) -> str:
    """A line for each row, in milliseconds, and one for each budget."""
    return "\n".join((*map(_line, rounds[0], [rounds] * len(rounds[0])), *_budgets(rounds)))


def _line(name: str, rounds: Sequence[Round]) -> str:
    low, middle, high = statistics.quantiles([each[name].wall for each in rounds], n=4)
    cpu = statistics.median(each[name].cpu for each in rounds)
    return f"{name:24} {middle:8.1f} ms (quartiles {low:.1f} to {high:.1f}), processors {cpu:.1f}"


def _budgets(rounds: Sequence[Round]) -> Iterator[str]:
    for name, budget in BUDGETS.items():
        wall, cpu = (
            statistics.median(
                budget.of({n: getattr(t, by) for n, t in each.items()}) for each in rounds
            )
            for by in ("wall", "cpu")
        )
        kept = "kept" if wall <= budget.most else "EXCEEDED"
        yield (
            f"{name}: {wall:.2f} {budget.unit} by the clock, {cpu:.2f} of processors, "
            f"at most {budget.most:g}: {kept}"
        )


if __name__ == "__main__":
    main()
