"""The vendors' assemblers and disassembler, which Triton's wheel brings: machine code, and how many
registers it takes."""

import functools
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from compiler_core.errors import ToolchainError
from compiler_core.processes import run_within

# A kernel that takes the assembler longer is left out.
SECONDS = 20.0

_USED = re.compile(r"Used (\d+) registers")
_SPILLED = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")


@dataclass(frozen=True)
class Assembly:
    """The input of ptxas. `arch` is a compute capability times ten; `fused`: whether a
    multiplication and an addition may be contracted to a fused multiply-add."""

    ptx: str = field(repr=False)
    arch: int
    fused: bool


def ptxas(assembly: Assembly) -> tuple[bytes, int | None, int | None]:
    """The cubin; registers of a thread and spilled bytes, from ptxas's report. Raises
    ToolchainError."""
    from compiler_core.codegen.triton.private import get_ptxas, sm_arch_from_capability

    arch = assembly.arch
    with tempfile.TemporaryDirectory(prefix="fuselab-ptxas-") as folder:
        text, out = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        text.write_text(assembly.ptx)
        command = [
            get_ptxas(arch).path, "-lineinfo", "-v", "--regAllocOptLevel=2",
            *([] if assembly.fused else ["--fmad=false"]),
            f"--gpu-name={sm_arch_from_capability(arch)}", str(text), "-o", str(out),
        ]  # fmt: skip
        done = _ended("ptxas", command)
        used, spilled = _USED.search(done.stderr), _SPILLED.search(done.stderr)
        registers = int(used[1]) if used else None
        return out.read_bytes(), registers, int(spilled[1]) if spilled else None


def amd_resources(text: str) -> tuple[int | None, int | None]:
    """(vector registers, spilled vector registers), from the metadata in the AMDGCN `text`."""
    used = re.search(r"\.vgpr_count:\s+(\d+)", text)
    spilled = re.search(r"\.vgpr_spill_count:\s+(\d+)", text)
    return int(used[1]) if used else None, int(spilled[1]) if spilled else None


@functools.lru_cache(maxsize=16)
def disassembled(binary: bytes) -> str:
    """A cubin as SASS, with line numbers. Raises ToolchainError."""
    from triton import knobs

    with tempfile.TemporaryDirectory(prefix="fuselab-sass-") as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(binary)
        command = [knobs.nvidia.nvdisasm.path, "-gi", "-c", "-ndf", str(path)]
        return _ended("nvdisasm", command).stdout


def _ended(name: str, command: list[str]) -> subprocess.CompletedProcess[str]:
    """What a tool said that has done its work in time. Raises ToolchainError."""
    done = run_within(command, SECONDS)
    if done is None:
        raise ToolchainError(f"{name} did not end within {SECONDS:.0f} seconds")
    if done.returncode:
        raise ToolchainError(f"{name}: {done.stderr.strip()[:300]}")
    return done
