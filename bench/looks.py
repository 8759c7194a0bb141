"""What looking into a compiler costs: `python -m bench.looks [--rounds 7]`.

`gelu(x + b)` in one warm process. In each round every row is done once, in turn: TorchInductor's
and XLA's plain compilations as they are timed in a run, and the looks, each with all that it shows.
A look's figure beside the plain compilation's is a ratio of one run.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
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
from compiler_core.reference.xla.bound import Bound
from compiler_core.reference.xla.bound import bind as bind_xla
from compiler_core.schedule.targets import resolve
from compiler_core.snippet.program import FoundProgram

_TARGET = "sm_90"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.looks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    pipeline.warm()
    subject = _subject()
    rows = _rows(subject)
    took: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(args.rounds + 1):
        for name, run in rows.items():
            jax.clear_caches()  # XLA keeps what it has compiled
            begun = time.perf_counter()
            run()
            took[name].append((time.perf_counter() - begun) * 1e3)
    print(to_text({name: each[1:] for name, each in took.items()}))


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
    assert not isinstance(bound, str) and isinstance(bound_xla, Bound)
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
        "xla, plain": lambda: bound_xla.lower(captured).compile(),
        "xla, snapshots": lambda: dump.compile_with_dump(bound_xla.lower(captured)),
        "xla, look": lambda: list(xla.look(subject)),
    }


def to_text(took: dict[str, Sequence[float]]) -> str:
    """A line for each, in milliseconds."""
    return "\n".join(_lines(took))


def _lines(took: dict[str, Sequence[float]]) -> Iterator[str]:
    for name, each in took.items():
        low, middle, high = statistics.quantiles(each, n=4)
        yield f"{name:24} {middle:8.1f} ms (quartiles {low:.1f} to {high:.1f}, {len(each)} rounds)"


if __name__ == "__main__":
    main()
