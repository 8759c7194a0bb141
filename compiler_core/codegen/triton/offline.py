"""Compiling Triton offline: TTIR, TTGIR, LLVM IR, PTX or AMDGCN and registers, for any target,
without a GPU.

Triton's own stages are run one after the other, as `triton.compile` does, but without its cache on
disk (runners share nothing that they can write) and without the hash of the whole package that its
key needs (0.8 s in each process). ptxas is run here as Triton runs it, for its report of registers
and spills, which Triton discards.

Kernels that differ only in names are compiled once in a process: a layer that is repeated twelve
times costs one compilation.
"""

import functools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from compiler_core.codegen import source_map
from compiler_core.codegen.source_map import Located
from compiler_core.codegen.triton.assemblers import Assembly, amd_resources, ptxas
from compiler_core.codegen.triton.load import load
from compiler_core.codegen.triton.module import Launch, TritonSource
from compiler_core.codegen.triton.names import Names
from compiler_core.codegen.triton.together import FILE, sass
from compiler_core.codegen.writer import Source
from compiler_core.errors import ToolchainError
from compiler_core.ir.sizes import at_most, size
from compiler_core.schedule.targets import GpuTarget, resolve

POINTERS = {
    "f64": "*fp64", "f32": "*fp32", "f16": "*fp16", "bf16": "*bf16", "bool": "*i1",
    **{f"{kind}{bits}": f"*{kind}{bits}" for kind in "iu" for bits in (8, 16, 32, 64)},
}  # fmt: skip

# Buffers are 64-byte aligned (the arena) or better (torch); Triton's vector accesses need 16.
ALIGNED = [["tt.divisibility", 16]]
# Integers are passed in 32 bits where they fit, as Triton does at a launch.
MOST = 2**31 - 1


@dataclass(frozen=True)
class CompiledKernel:
    """The result of compiling, under neutral names. `levels` are ttir, ttgir, llir and ptx or
    amdgcn, without debug information; `given` is the input of ptxas, None on AMD; `symbol` is the
    function's name in the machine code; `ms` is the time of each phase in milliseconds."""

    levels: Mapping[str, tuple[Located, ...]]
    given: Assembly | None
    binary: bytes = field(repr=False)
    registers: int | None
    spills: int | None
    shared_bytes: int
    num_warps: int
    symbol: str
    ms: Mapping[str, float]


@dataclass(frozen=True)
class Compiled:
    """A launch compiled for a target. `ms` is the time it took, next to nothing if an equal kernel
    had been compiled before."""

    launch: Launch
    target: GpuTarget
    kernel: CompiledKernel
    ms: float
    source: Source = field(repr=False)
    names: Names = field(repr=False)

    @property
    def texts(self) -> Mapping[str, Source]:
        """Every level with its line map: ttir, ttgir, llir, and ptx or amdgcn."""
        return {kind: self._shown(kind, level) for kind, level in self.kernel.levels.items()}

    @property
    def assembly(self) -> Source:
        """The text of the PTX, or on AMD of the AMDGCN, with its line map."""
        kind = "ptx" if self.target.backend == "cuda" else "amdgcn"
        return self._shown(kind, self.kernel.levels[kind])

    @property
    def name(self) -> str:
        return self.launch.entry

    def sass(self) -> Source:
        """NVIDIA's machine code as text, disassembled, with its line map. Raises ToolchainError."""
        ((_, source),) = filter(None, disassembled([self]))
        return source

    def shown_as_sass(self, text: str) -> Source:
        """The SASS that nvdisasm printed as `text`, with its line map and the kernel's own
        names."""
        return self._shown("sass", source_map.read("sass", text, FILE))

    def _shown(self, kind: str, located: tuple[Located, ...]) -> Source:
        whole = source_map.mapped(kind, located, self.source)
        return replace(whole, name=self.launch.entry, text=self.names.restore(whole.text))

    @property
    def binary(self) -> bytes:
        """The bytes of the cubin, or on AMD of the hsaco."""
        return self.kernel.binary

    @property
    def registers(self) -> int | None:
        """The number of registers of one thread; None if it is not known."""
        return self.kernel.registers

    @property
    def spills(self) -> int | None:
        """The bytes that one thread spills to memory (on AMD: the number of registers); None if not
        known."""
        return self.kernel.spills

    @property
    def shared_bytes(self) -> int:
        """Shared memory of one program, in bytes."""
        return self.kernel.shared_bytes

    @property
    def num_warps(self) -> int:
        return self.kernel.num_warps


def disassembled(compiled: Sequence[Compiled]) -> list[tuple[str, Source] | None]:
    """The machine code of each as SASS, several at a time; None where `assembly` is that already.
    Raises ToolchainError."""
    kernels = tuple((c.kernel.given, c.binary) for c in compiled if c.kernel.given is not None)
    texts = iter(sass(kernels))
    return [
        None if c.kernel.given is None else ("sass", c.shown_as_sass(next(texts))) for c in compiled
    ]


def compile_offline(source: TritonSource, target: str | GpuTarget) -> Compiled:
    """Compiles `source` for `target`, or the one of that name (schedule/targets.py, or auto).

    Raises ToolchainError with the kernel's name and the telling line of Triton's own message.
    """
    started = time.perf_counter()
    gpu = resolve(target) if isinstance(target, str) else target
    launch, names = source.launch, Names.of(source)
    neutral = names.neutral(source.source.text)
    parameters = tuple(
        (names.pointers[f"{b.name}_ptr"], POINTERS[b.type.dtype.name]) for b in launch.arguments
    )
    parameters += tuple((s.name, "i32" if at_most(size(s), MOST) else "i64") for s in launch.sizes)
    constants = tuple(launch.constexprs.items())
    entry = names.entries[launch.entry]
    try:
        options = tuple(launch.options.items())
        kernel = _compile(neutral, entry, parameters, constants, options, gpu)
    # Triton's errors have no common base: CompilationError, PTXASError, RuntimeError of a pass.
    except Exception as error:
        raise ToolchainError(
            f"Triton refused {launch.entry} for {gpu.name}: {names.restore(_message(error))}",
            remedy="this is a fault of the compiler core: report this program",
        ) from error
    ms = (time.perf_counter() - started) * 1e3
    return Compiled(launch, gpu, kernel, ms, source.source, names)


def _message(error: BaseException, place: str = "") -> str:
    """What is wrong, and the innermost line of the kernel that Triton points to with a caret."""
    lines = [s.strip() for s in str(error).splitlines() if s.strip()]
    if "^" in lines[1:]:
        caret = lines.index("^")
        place, lines = f", in `{lines[caret - 1]}`", lines[caret + 1 :]
    if error.__cause__ is not None:
        return _message(error.__cause__, place)
    return (lines[0] if lines else type(error).__name__) + place


Pairs = tuple[tuple[str, Any], ...]


@functools.lru_cache(maxsize=256)
def _compile(
    text: str, entry: str, parameters: Pairs, constants: Pairs, chosen: Pairs, target: GpuTarget
) -> CompiledKernel:
    from compiler_core.codegen.triton.private import GPUTarget, make_backend

    clock = _Clock()
    gpu = GPUTarget(target.backend, target.arch, target.warp_size)
    backend = make_backend(gpu)
    options = backend.parse_options(dict(chosen))
    ast = _ast(text, entry, parameters, constants)
    module = _module(ast, backend, gpu, options)
    clock.lap("ast")
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, ast.language)
    assembler = stages.pop("cubin", None) or stages.pop("hsaco")
    metadata: dict[str, Any] = {"target": gpu, **options.__dict__}
    levels: dict[str, tuple[Located, ...]] = {}
    for kind, run in stages.items():
        module = run(module, metadata)
        clock.lap(kind)
        levels[kind] = source_map.read(kind, str(module), FILE)
        clock.lap("lines")
    given = None
    if target.backend == "cuda":
        ptx = source_map.outermost(str(module), FILE)
        given = Assembly(ptx, int(target.arch), options.enable_fp_fusion)
        binary, registers, spills = ptxas(given)
    else:
        binary = assembler(module, metadata)
        registers, spills = amd_resources(str(module))
    clock.lap("binary")
    return CompiledKernel(
        levels, given, binary, registers, spills,
        metadata["shared"], metadata["num_warps"], metadata["name"], clock.laps,
    )  # fmt: skip


def _ast(text: str, entry: str, parameters: Pairs, constants: Pairs) -> Any:
    """The function `entry` of a module's text with the types of its arguments, as Triton takes
    it."""
    from compiler_core.codegen.triton.private import ASTSource

    function = getattr(load(Source("kernel", "python", text, ())), entry)
    signature = dict(parameters) | {name: "constexpr" for name, _ in constants}
    pointers = (i for i, (_, kind) in enumerate(parameters) if kind.startswith("*"))
    return ASTSource(function, signature, dict(constants), {(i,): ALIGNED for i in pointers})


def _module(ast: Any, backend: Any, gpu: Any, options: Any) -> Any:
    """The function as an MLIR module, which owns its context."""
    from compiler_core.codegen.triton.private import ir

    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    functions = backend.get_codegen_implementation(options)
    return ast.make_ir(gpu, options, functions, backend.get_module_map(), context)


class _Clock:
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = self.laps.get(name, 0.0) + (now - self._last) * 1e3
        self._last = now


def warm() -> None:
    """Imports Triton and compiles one small kernel for each vendor, so that a forked child compiles
    in a tenth of a second. Starts no thread and leaves no file."""
    text = (
        "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n"
        "\n\n@triton.jit\ndef warm(x_ptr, BLOCK: tl.constexpr):\n"
        "    index = tl.arange(0, BLOCK)\n    x = tl.load(x_ptr + index)\n"
        "    tl.store(x_ptr + index, libdevice.tanh(tl.erf(x)) / tl.sum(tl.exp(x), axis=0))\n"
    )
    for target in ("sm_90", "gfx942"):
        _compile(text, "warm", (("x_ptr", "*fp32"),), (("BLOCK", 128),), (("num_warps", 1),),
                 resolve(target))  # fmt: skip
