"""Running a plan on the CPU: one C library for what C runs, the framework for the rest."""

import ctypes
import re
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch

from compiler_core.codegen.c import ahead
from compiler_core.codegen.c import emit as c
from compiler_core.codegen.c.segments import Program, Segment, divide
from compiler_core.codegen.writer import Source
from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir.types import TensorType
from compiler_core.plan.binding import Binding
from compiler_core.plan.plan import Plan
from compiler_core.runtime import blas, gcc
from compiler_core.runtime.buffers import Arguments, Spec
from compiler_core.runtime.framework import run_launch
from compiler_core.runtime.sized import Sized
from compiler_core.runtime.stamps import Stamps

# The tensors in the buffers that have memory of their own, in the order of Program.pointers; None
# where the framework has not left one yet.
Memory = list[torch.Tensor | None]


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
        self._arguments = Arguments(plan.name, [(n, Spec.of(plan.buffers[n])) for n in plan.inputs])
        places = {name: i for i, name in enumerate(program.pointers)}
        self._places = places | {name: places[given] for name, given in program.over.items()}
        known = {*plan.inputs, *program.of_framework}
        fresh = [n for n in program.pointers if n not in known]
        self._fresh = [Spec.of(plan.buffers[n]) for n in fresh]
        # For each pointer, its tensor among the inputs, the fresh ones and None.
        found = {n: i for i, n in enumerate((*plan.inputs, *fresh))}
        self._order = [found.get(n, -1) for n in program.pointers]
        self._over = [(plan.inputs.index(n), places[n]) for n in plan.over.values()]
        self._arena = Spec((plan.arena_bytes,), (1,), torch.uint8, plan.arena_bytes)
        self._addresses = struct.Struct(f"{len(program.pointers)}P")
        driven = (s for s in program.segments if not s.entry)
        inner = (p for s in driven for launch in s.launches for p in launch.step.plans)
        self._regions = {
            x.name: Executable(x, program.regions[x.name], source, library, ms, sizes, stamps)
            for x in inner
        }
        self._segments = tuple(map(self._bound, program.segments))
        self._results = tuple(map(self._result, plan.outputs, plan.output_types, plan.copied))

    def _result(self, name: str, type_: TensorType, copied: bool) -> "_Result":
        # What the framework leaves may have another shape than its buffer.
        is_known = name not in self.program.of_framework
        as_it_is = is_known and self.plan.buffers[name].sizes == type_.sizes
        return _Result(self._places[name], None if as_it_is else type_.sizes, copied)

    def __call__(self, arguments: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        given = self._arguments.dense(arguments)
        every = [*given, *(spec.empty() for spec in self._fresh), None]
        memory: Memory = [every[i] for i in self._order]
        arena = self._arena.empty() if self._arena.nbytes else None
        for segment in self._segments:
            segment(memory, arena)
        if given is not arguments:
            self._write_back(memory, arguments)
        return [r.of(memory) for r in self._results]

    def _write_back(self, memory: Memory, arguments: Sequence[torch.Tensor]) -> None:
        """Into arguments that C was given dense copies of."""
        for i, place in self._over:
            if memory[place] is not arguments[i]:
                arguments[i].detach().copy_(memory[place])

    def _bound(self, segment: Segment) -> Callable[[Memory, torch.Tensor | None], None]:
        """One segment as a function of the memory."""
        if not segment.entry:
            places = self.program.offsets
            types, regions, run, names = (
                self.plan.buffers, self._regions, self._run, self._places
            )  # fmt: skip

            def by_framework(memory: Memory, arena: torch.Tensor | None) -> None:
                for launch in segment.launches:
                    run(launch, _Places(memory, arena, names, places, types), regions)

            return by_framework
        function = getattr(self._library.handle, segment.entry)
        sizes, offsets = self._sizes, self.program.places
        given = ((ctypes.c_long * len(offsets))(*offsets), *sizes) if sizes else ()
        pointers = (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int)
        more = (ctypes.c_void_p, *[ctypes.c_long] * len(sizes)) if sizes else ()
        function.argtypes = (*pointers, *more)
        function.restype = None
        table, address = self._addresses.pack, _address if self.program.of_framework else _DATA_PTR

        def by_c(memory: Memory, arena: torch.Tensor | None) -> None:
            start = None if arena is None else arena.data_ptr()
            function(table(*map(address, memory)), start, torch.get_num_threads(), *given)

        return by_c


# As a plain function it is called from C.
_DATA_PTR = torch.Tensor.data_ptr


def _address(tensor: torch.Tensor | None) -> int:
    return 0 if tensor is None else tensor.data_ptr()


@dataclass(frozen=True, slots=True)
class _Result:
    """One output of the plan: a buffer, under another shape if one is given."""

    place: int
    shape: tuple[int, ...] | None
    copied: bool

    def of(self, memory: Memory) -> torch.Tensor:
        tensor = memory[self.place]
        assert tensor is not None
        if self.shape is not None:
            tensor = tensor.view(self.shape)
        return tensor.clone() if self.copied else tensor


class _Places:
    """Where the framework's steps read and write tensors."""

    def __init__(
        self,
        memory: Memory,
        arena: torch.Tensor | None,
        pointers: Mapping[str, int],
        offsets: Mapping[str, int],
        types: Mapping[str, TensorType],
    ) -> None:
        self._memory, self._arena, self._pointers = memory, arena, pointers
        self._offsets, self._types = offsets, types

    def get(self, name: str, type_: TensorType) -> torch.Tensor:
        """The buffer `name` seen as `type_`."""
        if name in self._pointers:
            tensor = self._memory[self._pointers[name]]
            assert tensor is not None
            return tensor.view(type_.shape)
        if not type_.bytes:
            return torch.empty(type_.sizes, dtype=TORCH[type_.dtype.name])
        assert self._arena is not None
        start = self._offsets[name]
        raw = self._arena[start : start + type_.bytes]
        return raw.view(TORCH[type_.dtype.name]).view(type_.shape)

    def put(self, name: str, value: torch.Tensor) -> None:
        self._memory[self._pointers[name]] = value


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
