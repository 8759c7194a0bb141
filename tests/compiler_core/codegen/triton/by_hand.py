"""How tests write a loop-level kernel by hand."""

from compiler_core.ir.types import DType, TensorType
from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Effect, Phase
from compiler_core.kernel.kernel import Axis, BufferParam, Def, Kernel, KernelKind


def tensor(dtype: DType, *shape: int) -> TensorType:
    return TensorType(dtype, shape)


def axes(text: str) -> tuple[Axis, ...]:
    """i0:4 r0:5"""
    pairs = (item.split(":") for item in text.split())
    return tuple(
        Axis(name, int(extent), "reduce" if name[0] == "r" else "parallel")
        for name, extent in pairs
    )


def at(offset: int = 0, **strides: int) -> Affine:
    return Affine(tuple(strides.items()), offset)


def source(name: str, kind: TensorType) -> BufferParam:
    return BufferParam(name, kind, "in")


def result(name: str, kind: TensorType) -> BufferParam:
    return BufferParam(name, kind, "out")


def build(
    name: str,
    kind: KernelKind,
    space: str,
    buffers: list[BufferParam],
    defs: list[Def],
    *phases: list[Effect],
) -> Kernel:
    effects = [e for phase in phases for e in phase]
    origins = sorted({o for x in (*defs, *effects) for o in x.origins})
    return Kernel(
        name, kind, axes(space), tuple(buffers), tuple(defs),
        tuple(Phase(tuple(phase)) for phase in phases), tuple(origins),
    )  # fmt: skip
