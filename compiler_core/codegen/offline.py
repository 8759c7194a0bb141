"""Triton source -> TTIR, TTGIR, LLVM IR, PTX or AMDGCN, registers: for any target, without a GPU.

Triton's own stages are run one after the other, as `triton.compile` does, but without its cache
on disk (runners share nothing that they can write) and without the hash of the whole package
that its key needs (0.8 s in each process). ptxas is run here for the same reason that Triton
runs it, and for its report of registers and spills, which Triton throws away.
"""

import functools
import re
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compiler_core.codegen import lines
from compiler_core.codegen.triton import Launch, TritonSource
from compiler_core.codegen.triton_load import file_name, load
from compiler_core.codegen.writer import Source
from compiler_core.errors import ToolchainError
from compiler_core.ir.types import DType
from compiler_core.schedule.targets import GpuTarget, resolve

POINTERS = {
    "f64": "*fp64", "f32": "*fp32", "f16": "*fp16", "bf16": "*bf16", "bool": "*i1",
    **{f"{kind}{bits}": f"*{kind}{bits}" for kind in "iu" for bits in (8, 16, 32, 64)},
}  # fmt: skip

# Buffers are 64-byte aligned (the arena) or better (torch); Triton's vector accesses need 16.
ALIGNED = [["tt.divisibility", 16]]


@dataclass(frozen=True)
class Compiled:
    """One launch on one target. Texts are without debug information; their line maps lead to
    the captured operations. `ms` is the time of each stage."""

    launch: Launch
    target: GpuTarget
    texts: Mapping[str, Source]  # ttir, ttgir, llir, and ptx or amdgcn
    binary: bytes
    registers: int | None
    spills: int | None
    shared_bytes: int
    num_warps: int
    ms: Mapping[str, float]
    source: Source = field(repr=False)

    @property
    def assembly(self) -> Source:
        return self.texts["ptx" if self.target.backend == "cuda" else "amdgcn"]

    def sass(self) -> Source | None:
        """The machine code, disassembled; None where the target's is `assembly` already."""
        if self.target.backend != "cuda":
            return None
        return lines.read("sass", _disassemble(self.binary), self.source, file_name(self.source))


def compile_offline(source: TritonSource, target: str) -> tuple[Compiled, ...]:
    """Compiles every launch of `source` for `target` (a name of schedule/targets.py, or auto).

    Raises ToolchainError with the kernel's name and the first line of Triton's own message.
    """
    gpu = resolve(target)
    module = load(source.source)
    return tuple(
        _compiled(source.source, getattr(module, launch.entry), launch, gpu)
        for launch in source.launches
    )


def _compiled(source: Source, function: Any, launch: Launch, target: GpuTarget) -> Compiled:
    try:
        return _run_stages(source, function, launch, target)
    except ToolchainError:
        raise
    # Triton's errors have no common base: CompilationError, PTXASError, RuntimeError of a pass.
    except Exception as error:
        said = next((s for s in str(error).splitlines() if s.strip()), type(error).__name__)
        raise ToolchainError(
            f"Triton refused kernel {launch.entry} for {target.name}: {said.strip()}",
            remedy="this is a fault of the compiler core: report this program",
        ) from error


def _run_stages(source: Source, function: Any, launch: Launch, target: GpuTarget) -> Compiled:
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    from triton.compiler.compiler import make_backend

    clock = _Clock()
    gpu = GPUTarget(target.backend, target.arch, target.warp_size)
    backend = make_backend(gpu)
    options = backend.parse_options({"num_warps": launch.num_warps})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    ast = ASTSource(function, *_signature(launch))
    module = ast.make_ir(
        gpu, options, backend.get_codegen_implementation(options), backend.get_module_map(), context
    )
    clock.lap("front")
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, ast.language)
    metadata: dict[str, Any] = {"target": gpu, **options.__dict__}
    texts: dict[str, Source] = {}
    for kind, run in stages.items():
        if kind in ("cubin", "hsaco"):
            break
        module = run(module, metadata)
        clock.lap(kind)
        texts[kind] = lines.read(kind, str(module), source, file_name(source))
        clock.lap("text")
    if target.backend == "cuda":
        binary, registers, spills = _assemble(str(module), target, options)
    else:
        binary = stages["hsaco"](module, metadata)
        registers, spills = _amd_resources(str(module))
    clock.lap("binary")
    return Compiled(
        launch, target, texts, binary, registers, spills,
        metadata["shared"], metadata["num_warps"], clock.laps, source,
    )  # fmt: skip


def _signature(launch: Launch) -> tuple[dict[str, str], dict[str, int], dict[Any, Any]]:
    """Parameter types, constants, and what is known of the pointers."""
    types = {f"{b.name}_ptr": POINTERS[b.type.dtype.name] for b in launch.arguments}
    constants = {name: "constexpr" for name in launch.constexprs}
    attributes = {(i,): ALIGNED for i in range(len(types))}
    return types | constants, dict(launch.constexprs), attributes


# -- the vendors' assemblers

_USED = re.compile(r"Used (\d+) registers")
_SPILLED = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")


def _assemble(ptx: str, target: GpuTarget, options: Any) -> tuple[bytes, int | None, int | None]:
    """ptxas as Triton calls it; registers a thread and spilled bytes come from its report."""
    from triton.backends.nvidia.compiler import get_ptxas, sm_arch_from_capability

    arch = int(target.arch)
    with tempfile.TemporaryDirectory(prefix="fuselab-ptxas-") as folder:
        text, out = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        text.write_text(ptx)
        command = [
            get_ptxas(arch).path, "-lineinfo", "-v", "--regAllocOptLevel=2",
            *([] if options.enable_fp_fusion else ["--fmad=false"]),
            f"--gpu-name={sm_arch_from_capability(arch)}", str(text), "-o", str(out),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode:
            raise ToolchainError(f"ptxas refused a kernel for {target.name}: {done.stderr[:500]}")
        used, spilled = _USED.search(done.stderr), _SPILLED.search(done.stderr)
        registers = int(used[1]) if used else None
        return out.read_bytes(), registers, int(spilled[1]) if spilled else None


def _amd_resources(text: str) -> tuple[int | None, int | None]:
    """Vector registers and spilled ones, from the kernel's metadata."""
    used = re.search(r"\.vgpr_count:\s+(\d+)", text)
    spilled = re.search(r"\.vgpr_spill_count:\s+(\d+)", text)
    return int(used[1]) if used else None, int(spilled[1]) if spilled else None


@functools.lru_cache(maxsize=64)
def _disassemble(binary: bytes) -> str:
    from triton import knobs

    with tempfile.TemporaryDirectory(prefix="fuselab-sass-") as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(binary)
        command = [knobs.nvidia.nvdisasm.path, "-gi", "-c", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise ToolchainError(f"nvdisasm failed: {done.stderr.splitlines()[:1]}")
    return done.stdout


class _Clock:
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = self.laps.get(name, 0.0) + (now - self._last) * 1e3
        self._last = now
