"""What the suite's kernels are on GPUs that need not be there: `python -m bench.machine_code
[--suite families] [--only medium-f32] [--targets sm_80,sm_90,sm_100] [--json PATH]`.

Each program is compiled for each target as a run shows it. Of each kernel that Triton compiles: the
share of its accesses to global memory that are of 16 bytes, registers and spills of a thread,
shared memory of a block, how many blocks a multiprocessor holds by these, matrix instructions, and
divisions of integers within loops. The exit code is 1 where a kernel has a fault: it spills, does
not fit, divides in a loop, or multiplies matrices of 16 bits without matrix instructions.
"""

import argparse
import json
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from bench import ptx
from bench.options import add_suite, subjects_of
from bench.pieces import commit, now
from bench.subjects import Subject
from compiler_core import pipeline, report
from compiler_core.pipeline.order import PIPELINE
from compiler_core.schedule.targets import resolve

_STAGES = ("capture", "passes", "target passes", "fuse", "schedule", "emit", "compile")
STAGES = tuple(s for s in PIPELINE if s.name in _STAGES)
TARGETS = ("sm_80", "sm_90", "sm_100")
# Of every multiprocessor of these targets: registers, and the most blocks (CUDA's programming
# guide, "technical specifications per compute capability").
_REGISTERS, _BLOCKS = 65536, 32
_WARP = 32
_SIXTEEN = ("bf16", "f16")
# Strategies that multiply matrices.
_PRODUCTS = ("matmul", "attention", "implicit_gemm", "split k")
_WORST = 12


@dataclass(frozen=True)
class Kernel:
    """One kernel of a program on a target; `blocks` is how many of it a multiprocessor holds."""

    program: str
    target: str
    kernel: str
    strategy: str
    dtype: str
    wide: float | None
    accesses: dict[int, int]
    registers: int
    spills: int
    shared_bytes: int
    blocks: int
    matrix: tuple[str, ...]
    divisions: int

    @property
    def faults(self) -> list[str]:
        """What is wrong with it, in words."""
        product = self.strategy in _PRODUCTS and self.dtype in _SIXTEEN
        found = {
            f"spills {self.spills} bytes a thread": self.spills > 0,
            "does not fit into a multiprocessor": self.blocks == 0,
            f"divides integers in a loop, {self.divisions} times": self.divisions > 0,
            "multiplies without matrix instructions": product and not self.matrix,
        }
        return [fault for fault, there in found.items() if there]


def main() -> int:
    args = _arguments()
    subjects, kernels = subjects_of(args), list[Kernel]()
    for at, subject in enumerate(subjects):
        print(f"{at + 1} of {len(subjects)}: {subject.name}", file=sys.stderr, flush=True)
        kernels += [k for target in args.targets.split(",") for k in _compiled(subject, target)]
    print("\n".join(table(kernels)))
    if args.json:
        args.json.write_text(json.dumps(_file(args, kernels), indent=1) + "\n")
    return 1 if any(k.faults for k in kernels) or not kernels else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.machine_code", description=__doc__)
    add_suite(parser, "families")
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--json", type=Path, help="where to write every kernel")
    return parser.parse_args()


def _compiled(subject: Subject, target: Any) -> Iterator[Kernel]:
    options = report.Options(device="cpu", target=target, measure=False, inputs=subject.inputs)
    events: list[report.Event] = []
    pipeline.explore(subject.file.read_text(), options, events.append, stages=STAGES)
    found = reduce(report.apply, events, report.Report())
    dtype = subject.name.rsplit("-", 1)[-1]
    for program in found.programs:
        yield from kernels_of(program, subject.name, dtype, target)


def kernels_of(program: report.Program, name: str, dtype: str, target: str) -> Iterator[Kernel]:
    """Those of a report's program that were compiled for the target."""
    texts = {
        (s.graph, a.kernel): a.text for s in program.stages for a in s.artifacts if a.kind == "ptx"
    }
    ways = {(k.graph, k.id): k.schedule for k in program.kernels if k.backend != "cpu"}
    for r in program.resources:
        code, way = ptx.read(texts[r.graph, r.kernel]), ways.get((r.graph, r.kernel))
        yield Kernel(
            name, target, r.kernel, way.strategy if way else "", dtype, code.wide, code.accesses,
            r.registers or 0, r.spills or 0, r.shared_bytes or 0, blocks(r, target), code.matrix,
            code.divisions,
        )  # fmt: skip


def blocks(resources: report.Resources, target: str) -> int:
    """How many blocks of a kernel a multiprocessor holds, by registers, threads and shared
    memory."""
    threads, limits = _WARP * (resources.num_warps or 1), resolve(target)
    by_registers = _REGISTERS // (max(resources.registers or 1, 1) * threads)
    shared = resources.shared_bytes or 0
    by_shared = limits.shared_bytes // shared if shared else by_registers
    return min(by_registers, limits.threads // threads, by_shared, _BLOCKS)


def table(kernels: Sequence[Kernel]) -> Iterator[str]:
    """By target and strategy, then the kernels with a fault, then those with the narrowest
    accesses."""
    yield "target   strategy         kernels  16 bytes     blocks  faults  matrix instructions"
    for key in sorted({(k.target, k.strategy) for k in kernels}):
        own = [k for k in kernels if (k.target, k.strategy) == key]
        wide = [k.wide for k in own if k.wide is not None]
        matrix = Counter(name for k in own for name in k.matrix)
        yield (
            f"{key[0]:8} {key[1]:16} {len(own):7}  {statistics.fmean(wide or [0]):8.0%}"
            f"  {statistics.median(k.blocks for k in own):9g}  {sum(bool(k.faults) for k in own):6}"
            f"  {', '.join(f'{name} {count}' for name, count in matrix.items())}".rstrip()
        )
    for k in kernels:
        yield from (f"{k.program} {k.kernel} on {k.target} {fault}" for fault in k.faults)
    narrow = sorted((k for k in kernels if k.wide is not None), key=lambda k: k.wide or 0)
    yield "narrowest:"
    for k in narrow[:_WORST]:
        yield f"  {k.program} {k.kernel} on {k.target}, {k.strategy}: {k.accesses}"


def _file(args: argparse.Namespace, kernels: Sequence[Kernel]) -> dict[str, Any]:
    return {
        "suite": args.suite,
        "only": args.only,
        "date": now(),
        "core": commit("HEAD"),
        "targets": args.targets,
        "kernels": [asdict(k) | {"faults": k.faults} for k in kernels],
    }


if __name__ == "__main__":
    sys.exit(main())
