"""AOTInductor: the C++ that TorchInductor makes of an exported program, ahead of any call.

The text is taken before it goes to the C++ compiler, which would need seconds for it.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from compiler_core.reference.inductor import hooks
from compiler_core.reference.inductor.process import passing_files, settings
from compiler_core.reference.inductor.recording import Recording
from compiler_core.reference.inductor.records import Compiled, Lowered

# The line that begins a kernel: extern "C" void cpp_fused_gelu_0(float* in_out_ptr0)
_KERNEL = re.compile(r'extern "C"\s+void\s+(\w+)\(')
_NAMES = re.compile(r"\b(?:buf\d+|cpp_fused\w*)\b")


@dataclass(frozen=True)
class Written:
    """What AOTInductor wrote: `kernels` are the loops, `wrapper` is what loads the weights, checks
    the inputs and calls them. `lowered` says which operations each kernel and buffer is of."""

    wrapper: str
    kernels: str
    lowered: Lowered


def written(exported: Any) -> Written:
    """The C++ of a torch.export.ExportedProgram for the CPU. Raises what torch raises."""
    import torch._inductor

    recording, texts = Recording(compiled=[Compiled()]), list[str]()
    args, kwargs = exported.example_inputs
    module = exported.module(check_guards=False)
    with settings(reset=False), passing_files(), recording.listening(), _taken(recording, texts):
        torch._inductor.aot_compile(module, args, kwargs)
    return Written(texts[0], texts[1], recording.compiled[0].lowered[0])


def names_of(text: str) -> list[Sequence[str]]:
    """For each line of AOTInductor's C++ text, the names of the kernels and buffers that it belongs
    to; all lines of a kernel's definition belong to the kernel."""
    inside, found = "", list[Sequence[str]]()
    for line in text.splitlines():
        head = _KERNEL.match(line)
        if head is not None and not line.rstrip().endswith(";"):
            inside = head[1]
        found.append((inside,) if inside else tuple(dict.fromkeys(_NAMES.findall(line))))
        if line.startswith("}"):
            inside = ""
    return found


@contextmanager
def _taken(recording: Recording, texts: list[str]) -> Iterator[None]:
    """Context in which what would go to the C++ compiler goes to `texts`."""
    from torch._inductor import compile_fx
    from torch._inductor.codecache import AotCodeCompiler

    def listened(original: Any, *given: Any, **more: Any) -> Any:
        return original(*given, inner_compile=recording.inner, **more)

    def compiled(original: Any, graph: Any, wrapper: str, kernels: str, *_: Any, **__: Any) -> str:
        texts.extend((wrapper, kernels))
        return ""

    with (
        hooks.around(compile_fx, "compile_fx_aot", listened),
        hooks.around(AotCodeCompiler, "compile", compiled),
    ):
        yield
