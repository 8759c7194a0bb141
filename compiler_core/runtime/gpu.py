"""Running a plan on a GPU: Triton kernels, the vendor's matmul, the framework's library calls.

Everything is bound once, when the program is built: functions, grids, places in the arena. A call
allocates the outputs and launches the steps in order on the current stream; kernels that follow
each other are one step.

Under TRITON_INTERPRET=1 the same program runs on CPU tensors in Triton's interpreter, by which the
driver and the kernels are tested on machines without a GPU.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, cast

import torch

from compiler_core.codegen.triton.emit import Sources, emit_plan
from compiler_core.codegen.triton.load import load
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.interop import arrays
from compiler_core.ir.sizes import number
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.binding import Binding
from compiler_core.plan.control import Control
from compiler_core.plan.convolution import VENDOR, ConvolutionStep
from compiler_core.plan.gpu import sorts as gpu_sorts
from compiler_core.plan.gpu.convolutions import IMPLICIT
from compiler_core.plan.plan import Launch, Plan
from compiler_core.plan.steps import LibraryCall, Matmul, Step
from compiler_core.runtime import cuda
from compiler_core.runtime.cuda import Addresses, Queued
from compiler_core.runtime.framework import convolved, run_control
from compiler_core.runtime.gpu_memory import Fresh, Given, Result, arena
from compiler_core.runtime.sized import Sized
from compiler_core.runtime.stamps import GpuStamps
from compiler_core.schedule.gpu.attention import STRATEGY as ATTENTION
from compiler_core.schedule.gpu.schedule import STRATEGIES
from compiler_core.schedule.gpu.sort import MERGE
from compiler_core.schedule.targets import GpuTarget, resolve

Memory = dict[str, torch.Tensor]
Bound = Callable[[Memory], None]


@dataclass(frozen=True)
class GpuExecutable:
    """Call it with the plan's inputs in order; it returns the plan's outputs in order."""

    plan: Plan
    steps: tuple[Bound, ...]
    kept: Mapping[str, torch.Tensor]  # places in the arena: the same on every call
    fresh: tuple[Fresh, ...]  # buffers allocated on every call, because they are returned
    given: tuple[Given, ...]
    results: tuple[Result, ...]
    addresses: Addresses
    over: tuple[tuple[str, str], ...] = ()  # results in the memory of inputs, with these
    note: str = ""

    def __call__(self, arguments: Sequence[Any]) -> list[torch.Tensor]:
        memory: Memory = dict(self.kept)
        write = self.addresses.write
        for new in self.fresh:
            memory[new.name] = tensor = new.empty()
            write(new.name, tensor)
        for place, argument in zip(self.given, arguments, strict=True):
            memory[place.name] = tensor = place.dense(argument)
            write(place.name, tensor)
        for name, given in self.over:
            memory[name] = tensor = memory[given]
            write(name, tensor)
        for step in self.steps:
            step(memory)
        if self.over:
            self._write_back(memory, arguments)
        return [result.of(memory) for result in self.results]

    def _write_back(self, memory: Memory, arguments: Sequence[Any]) -> None:
        """Into arguments that kernels were given other tensors for."""
        given = dict(zip(self.plan.inputs, arguments, strict=True))
        for _, name in self.over:
            tensor, argument = memory[name], given[name]
            if tensor.data_ptr() != argument.data_ptr() or not argument.is_contiguous():
                argument.detach().copy_(tensor.view(argument.shape))


def build(
    plan: Plan,
    sources: Sources | None = None,
    device: str = "cuda",
    target: GpuTarget | None = None,
) -> GpuExecutable | Sized:
    """Compiles, loads and binds every launch, for `target`: this machine's own GPU, if none is
    given. Raises ToolchainError."""
    return _built(plan, sources, device, target)


def build_with_stamps(
    plan: Plan, device: str = "cuda", target: GpuTarget | None = None
) -> tuple[GpuExecutable | Sized, GpuStamps]:
    """As `build`, with the times at which launches begin and end on the stream."""
    stamps = GpuStamps(device)
    return _built(plan, None, device, target, stamps), stamps


def _built(
    plan: Plan,
    sources: Sources | None,
    device: str,
    target: GpuTarget | None,
    stamps: GpuStamps | None = None,
) -> GpuExecutable | Sized:
    known = emit_plan(plan) if sources is None else sources
    own = {x.launch.entry: x for name, x in known.items() if name == x.launch.entry}
    if device == "cpu":
        functions = {entry: getattr(load(x.source), entry) for entry, x in own.items()}
    else:
        machine = target or resolve("auto")
        functions = {e: cuda.load(compile_offline(x, machine)) for e, x in own.items()}
    loaded = Loaded(known, functions, device, stamps)
    if plan.symbols:
        return Sized(plan, lambda at, values: _bound(at, loaded, values))
    return _bound(plan, loaded, {})


@dataclass(frozen=True)
class Loaded:
    """The parts of a program that do not depend on sizes: the texts by launch, and the loaded
    functions by name, which equal launches share."""

    sources: Sources
    functions: Mapping[str, Any]
    device: str
    stamps: GpuStamps | None = None


def _bound(plan: Plan, loaded: Loaded, values: Binding) -> GpuExecutable:
    """`plan` with the sizes of its calls."""
    device = loaded.device
    regions = (region for launch in plan.launches for region in launch.step.plans)
    context = Context(loaded, {r.name: _bound(r, loaded, values) for r in regions}, values)
    kept = arena(plan, device)
    addresses = Addresses([*plan.buffers])
    for name, window in kept.items():
        addresses.write(name, window)
    steps = _steps(plan.launches, context, addresses)
    inside, place = {*kept, *plan.inputs, *plan.over}, torch.device(device)
    return GpuExecutable(
        plan,
        steps,
        kept,
        tuple(Fresh(name, x, place) for name, x in plan.buffers.items() if name not in inside),
        tuple(Given(name, plan.buffers[name], place) for name in plan.inputs),
        tuple(map(Result, plan.outputs, plan.output_types, plan.copied)),
        addresses,
        tuple(plan.over.items()),
    )


def _steps(
    launches: Sequence[Launch], context: "Context", addresses: Addresses
) -> tuple[Bound, ...]:
    """The launches in order; kernels that follow each other are queued together, unless each is to
    be timed."""
    stamps = context.loaded.stamps
    bound = [_BIND[x.schedule.strategy](x.step, context) for x in launches]
    if stamps is None:
        return tuple(_together(bound, addresses))
    alone = (next(_together([each], addresses)) for each in bound)
    return tuple(stamps.timing(x, each) for x, each in zip(launches, alone, strict=True))


def _together(bound: Sequence[Queued | Bound], addresses: Addresses) -> Iterator[Bound]:
    for queued, row in groupby(bound, lambda each: isinstance(each, Queued)):
        if queued:
            launches = cast(Iterable[Queued], row)
            yield cuda.in_order([x for x in launches if 0 not in x.grid], addresses)
        else:
            yield from cast(Iterable[Bound], row)


@dataclass(frozen=True)
class Context:
    """What launches are bound to: the loaded functions, the executables of the plans within steps,
    by name, and the sizes of the call."""

    loaded: Loaded
    regions: Mapping[str, GpuExecutable]
    values: Binding


# -- steps


def _kernel(step: Step, context: Context) -> Queued | Bound:
    call = context.loaded.sources[step.name].launch
    grid, function = call.grid_at(context.values), context.loaded.functions[call.entry]
    names = [b.name for b in call.arguments]
    sizes = [context.values[symbol] for symbol in call.sizes]
    if isinstance(function, cuda.Function):
        return Queued(function, grid, names, sizes)
    options = {**call.constexprs, **call.options}

    def interpreted(memory: Memory) -> None:
        if 0 not in grid:
            function[grid](*(memory[n] for n in names), *sizes, **options)

    return interpreted


def _matmul(step: Matmul, context: Context) -> Bound:
    batch, m, n, k = map(number, (step.batch, step.m, step.n, step.k))
    lhs_shape = (k, m) if step.transpose_lhs else (m, k)
    rhs_shape = (n, k) if step.transpose_rhs else (k, n)

    def operand(
        tensor: torch.Tensor, shape: tuple[int, int], *, flip: bool, batched: bool
    ) -> torch.Tensor:
        many = () if batch == 1 else (batch if batched else 1,)
        matrix = tensor.view(*many, *shape)
        return matrix.mT if flip else matrix

    def run(memory: Memory) -> None:
        lhs, rhs = (
            operand(memory[step.lhs.name], lhs_shape, flip=step.transpose_lhs,
                    batched=step.lhs_batched),
            operand(memory[step.rhs.name], rhs_shape, flip=step.transpose_rhs,
                    batched=step.rhs_batched),
        )  # fmt: skip
        out = memory[step.out.name]
        many = () if batch == 1 else (batch,)
        torch.matmul(lhs, rhs, out=out.view(*many, m, n))

    return run


def _convolution(step: ConvolutionStep, context: Context) -> Bound:
    def run(memory: Memory) -> None:
        _keep(memory, step.out, convolved(step, lambda b: memory[b.name]))

    return run


def _library(step: LibraryCall, context: Context) -> Bound:
    callee = step.callee

    def run(memory: Memory) -> None:
        operands = [memory[b.name].view(b.type.shape) for b in step.inputs]
        given = [*map(arrays.to_jax, operands)] if callee.framework == "jax" else operands
        results = callee.call(*given)
        results = results if isinstance(results, tuple | list) else (results,)
        for buffer, result in zip(step.outputs, results, strict=True):
            _keep(memory, buffer, result)

    return run


def _control(step: Control, context: Context) -> Bound:
    """The host runs the loop: a while waits for its condition after every iteration."""
    bodies = [context.regions[plan.name] for plan in step.plans]

    def run(memory: Memory) -> None:
        operands = [memory[b.name].view(b.type.shape) for b in step.inputs]
        results = run_control(step, bodies, operands)
        for buffer, result in zip(step.outputs, results, strict=True):
            _keep(memory, buffer, result)

    return run


def _keep(memory: Memory, buffer: BufferParam, result: Any) -> None:
    """Copies a result to its planned place: it may be a view of memory that is used again."""
    tensor = arrays.to_torch(result)
    if buffer.name in memory:
        memory[buffer.name].view(buffer.type.shape).copy_(tensor)
    else:
        memory[buffer.name] = tensor.clone()


# By strategy.
_BIND: dict[str, Callable[[Any, Context], Queued | Bound]] = {
    **dict.fromkeys(STRATEGIES, _kernel),
    **dict.fromkeys((*gpu_sorts.STRATEGIES, MERGE), _kernel),
    "matmul": _kernel,
    ATTENTION: _kernel,
    IMPLICIT: _kernel,
    "vendor": _matmul,
    VENDOR: _convolution,
    "library": _library,
    "host": _control,
}
