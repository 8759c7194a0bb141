"""Running a plan on the CPU: one C library for what C runs, the framework for the rest."""

import ctypes
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch

from compiler_core.codegen.c import ahead
from compiler_core.codegen.c import emit as c
from compiler_core.codegen.c.segments import Program, Segment, divide
from compiler_core.codegen.writer import Source
from compiler_core.errors import MeasureError
from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir.sizes import number
from compiler_core.ir.types import TensorType, strides
from compiler_core.plan.binding import Binding
from compiler_core.plan.plan import Plan
from compiler_core.runtime import blas, gcc
from compiler_core.runtime.framework import run_launch
from compiler_core.runtime.memory import CACHE
from compiler_core.runtime.sized import Sized
from compiler_core.runtime.stamps import Stamps

Memory = dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True)
class Spec:
    """A buffer as torch sees it."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: torch.dtype
    nbytes: int

    @classmethod
    def of(cls, type_: TensorType) -> "Spec":
        """The dense tensor of a type."""
        steps = tuple(map(number, strides(type_.shape)))
        return cls(type_.sizes, steps, TORCH[type_.dtype.name], type_.bytes)

    def empty(self) -> torch.Tensor:
        """An uninitialised tensor."""
        return CACHE.empty(self.shape, self.stride, self.dtype, self.nbytes)


class Executable:
    """Call it with the plan's inputs in order; it returns the plan's outputs in order.

    `note` says that it is optimized less than others, and why.
    `compile_ms` is the time of printing, compiling and loading the C text; `command` and `flags`
    are the compiler's. Safe to call from several threads at once.
    """

    def __init__(
        self,
        plan: Plan,
        program: Program,
        source: Source,
        library: gcc.Library,
        ms: float,
        sizes: tuple[int, ...] = (),
        stamps: Stamps | None = None,
    ) -> None:
        self.plan, self.program, self.source = plan, program, source
        self._sizes = sizes
        self._run = run_launch if stamps is None else stamps.timing(run_launch)
        self.command, self.flags, self.compile_ms = library.command, gcc.FLAGS, ms
        self.note = library.note
        self._library = library
        self._inputs = tuple((n, Spec.of(plan.buffers[n])) for n in plan.inputs)
        self._fresh = tuple(
            (n, Spec.of(plan.buffers[n]))
            for n in program.pointers
            if n not in plan.inputs and n not in program.of_framework and n not in plan.over
        )
        self._over = tuple(plan.over.items())
        self._arena = Spec((plan.arena_bytes,), (1,), torch.uint8, plan.arena_bytes)
        self._addresses = ctypes.c_void_p * max(1, len(program.pointers))
        driven = (s for s in program.segments if not s.entry)
        inner = (p for s in driven for launch in s.launches for p in launch.step.plans)
        self._regions = {
            x.name: Executable(x, program.regions[x.name], source, library, ms, sizes, stamps)
            for x in inner
        }
        self._segments = tuple(map(self._bound, program.segments))
        self._results = tuple(
            _Result(*each)
            for each in zip(
                plan.outputs, (t.sizes for t in plan.output_types), plan.copied, strict=True
            )
        )

    def __call__(self, arguments: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        memory = self._bind(arguments)
        for name, spec in self._fresh:
            memory[name] = spec.empty()
        for name, given in self._over:
            memory[name] = memory[given]
        arena = self._arena.empty() if self._arena.nbytes else None
        for segment in self._segments:
            segment(memory, arena)
        if self._over:
            self._write_back(memory, arguments)
        return [r.of(memory) for r in self._results]

    def _write_back(self, memory: Memory, arguments: Sequence[torch.Tensor]) -> None:
        """Into arguments that C was given dense copies of."""
        given = dict(zip(self.plan.inputs, arguments, strict=True))
        for _, name in self._over:
            if memory[name] is not given[name]:
                given[name].detach().copy_(memory[name])

    def _bind(self, arguments: Sequence[torch.Tensor]) -> Memory:
        if len(arguments) != len(self._inputs):
            raise MeasureError(
                f"{self.plan.name} takes {len(self._inputs)} inputs, not {len(arguments)}"
            )
        memory: Memory = {}
        for (name, spec), x in zip(self._inputs, arguments, strict=True):
            if x.dtype is not spec.dtype or x.shape != spec.shape or not x.is_cpu:
                raise MeasureError(_misfit(name, spec, x))
            memory[name] = x if x.is_contiguous() else x.contiguous()
        return memory

    def _bound(self, segment: Segment) -> Callable[[Memory, torch.Tensor | None], None]:
        """One segment as a function of the memory."""
        if not segment.entry:
            places = self.program.offsets
            types, regions, run = self.plan.buffers, self._regions, self._run

            def by_framework(memory: Memory, arena: torch.Tensor | None) -> None:
                for launch in segment.launches:
                    run(launch, _Places(memory, arena, places, types), regions)

            return by_framework
        function = getattr(self._library.handle, segment.entry)
        sizes, offsets = self._sizes, self.program.places
        given = ((ctypes.c_long * len(offsets))(*offsets), *sizes) if sizes else ()
        pointers = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
        more = (ctypes.c_void_p, *[ctypes.c_long] * len(sizes)) if sizes else ()
        function.argtypes = (*pointers, *more)
        function.restype = None
        names, addresses = self.program.pointers, self._addresses

        def by_c(memory: Memory, arena: torch.Tensor | None) -> None:
            table = addresses(*[memory[n].data_ptr() if n in memory else None for n in names])
            start = None if arena is None else arena.data_ptr()
            function(table, start, torch.get_num_threads(), *given)

        return by_c


@dataclass(frozen=True, slots=True)
class _Result:
    """One output of the plan: a buffer, perhaps under another shape."""

    name: str
    shape: tuple[int, ...]
    copied: bool

    def of(self, memory: Memory) -> torch.Tensor:
        tensor = memory[self.name]
        if tensor.shape != self.shape:
            tensor = tensor.view(self.shape)
        return tensor.clone() if self.copied else tensor


class _Places:
    """Where the framework's steps read and write tensors."""

    def __init__(
        self,
        memory: Memory,
        arena: torch.Tensor | None,
        offsets: Mapping[str, int],
        types: Mapping[str, TensorType],
    ) -> None:
        self._memory, self._arena, self._offsets, self._types = memory, arena, offsets, types

    def get(self, name: str, type_: TensorType) -> torch.Tensor:
        """The buffer `name` seen as `type_`."""
        if name in self._memory:
            return self._memory[name].view(type_.shape)
        if not type_.bytes:
            return torch.empty(type_.sizes, dtype=TORCH[type_.dtype.name])
        assert self._arena is not None
        start = self._offsets[name]
        raw = self._arena[start : start + type_.bytes]
        return raw.view(TORCH[type_.dtype.name]).view(type_.shape)

    def put(self, name: str, value: torch.Tensor) -> None:
        self._memory[name] = value


def build(plan: Plan, printed: c.CSource | None = None) -> Executable | Sized:
    """Compiles and loads `plan`; `printed` is its text where there is one already. Raises
    ToolchainError without a compiler."""
    return _loaded(plan, printed)


def build_with_stamps(plan: Plan) -> tuple[Executable | Sized, Stamps]:
    """As `build`, with launches that write down when they begin and end."""
    stamps = Stamps(plan)
    return _loaded(plan, None, stamps), stamps


def _loaded(
    plan: Plan, printed: c.CSource | None, stamps: Stamps | None = None
) -> Executable | Sized:
    start = time.perf_counter()
    printed = printed or c.emit(plan, stamps=stamps is not None)
    _compile_ahead(printed.source.text)
    library = gcc.load(printed.source.text, re.sub(r"\W", "_", plan.name))
    for name in blas.ROUTINES:
        if hasattr(library.handle, name):
            ctypes.c_void_p.in_dll(library.handle, name).value = blas.address(name)
    if stamps is not None:
        stamps.bind(library.handle)
    ms = (time.perf_counter() - start) * 1e3
    if plan.symbols:
        return Sized(
            plan, lambda at, values: _of_call(at, values, printed, library, ms, stamps),
            library.note,
        )  # fmt: skip
    return Executable(plan, printed.program, printed.source, library, ms, stamps=stamps)


def _compile_ahead(text: str) -> None:
    """What products have in common is compiled once a process, with the first that has it."""
    declarations = ahead.declarations()
    if any(definition in text for definition in declarations):
        gcc.compile_ahead(ahead.text(), declarations)


def _of_call(
    plan: Plan, values: Binding, printed: c.CSource, library: gcc.Library, ms: float,
    stamps: Stamps | None,
) -> Executable:  # fmt: skip
    """`plan` has the sizes of a call, by which its buffers are placed; the library serves all."""
    sizes = tuple(values[symbol] for symbol in printed.program.symbols)
    program = divide(plan, printed.program.symbols)
    return Executable(plan, program, printed.source, library, ms, sizes, stamps)


def _misfit(name: str, spec: Spec, x: torch.Tensor) -> str:
    given = f"{str(x.dtype).removeprefix('torch.')}{list(x.shape)} on {x.device}"
    wanted = f"{str(spec.dtype).removeprefix('torch.')}{list(spec.shape)} on cpu"
    return f"input {name} is {given}, the program was compiled for {wanted}"
