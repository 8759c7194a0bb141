"""Buffers as torch tensors, and the arguments of a call that lie in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import torch

from compiler_core.errors import MeasureError
from compiler_core.interop.alike import Alike
from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir.sizes import number
from compiler_core.ir.types import TensorType, strides
from compiler_core.runtime.memory import CACHE


@dataclass(frozen=True, slots=True)
class Spec:
    """The shape, strides, dtype and bytes of a buffer as a torch tensor."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: torch.dtype
    nbytes: int

    @classmethod
    def of(cls, type_: TensorType) -> "Spec":
        """The Spec of a dense tensor of this type."""
        steps = tuple(map(number, strides(type_.shape)))
        return cls(type_.sizes, steps, TORCH[type_.dtype.name], type_.bytes)

    def empty(self) -> torch.Tensor:
        """An uninitialised tensor."""
        return CACHE.empty(self.shape, self.stride, self.dtype, self.nbytes)


_SHAPE, _DTYPE, _IS_CPU = attrgetter("shape"), attrgetter("dtype"), attrgetter("is_cpu")


class Arguments:
    """The arguments that a program was compiled for: tensors on the CPU of these types, by name.

    A training step has a hundred arguments, and checking one of them in Python takes as long as a
    small kernel: all are checked together.
    """

    def __init__(self, program: str, types: Sequence[tuple[str, Spec]]) -> None:
        self._program, self._types = program, types
        self._shapes = [spec.shape for _, spec in types]
        self._dtypes = [spec.dtype for _, spec in types]
        self._dense = Alike()

    def dense(self, given: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
        """`given` itself where all of it is row-major, otherwise with copies of those that are not.
        Raises MeasureError that names the first that does not fit."""
        if self._dense(given):
            return given
        if (
            list(map(_SHAPE, given)) != self._shapes
            or list(map(_DTYPE, given)) != self._dtypes
            or not all(map(_IS_CPU, given))
        ):
            raise MeasureError(self._misfit(given))
        if all(map(torch.Tensor.is_contiguous, given)):
            self._dense.learn(given)
            return given
        return [x.contiguous() for x in given]

    def _misfit(self, given: Sequence[torch.Tensor]) -> str:
        if len(given) != len(self._types):
            return f"{self._program} takes {len(self._types)} inputs, not {len(given)}"
        pairs = zip(self._types, given, strict=True)
        name, spec, x = next((n, s, x) for (n, s), x in pairs if not _fits(s, x))
        found = f"{str(x.dtype).removeprefix('torch.')}{list(x.shape)} on {x.device}"
        wanted = f"{str(spec.dtype).removeprefix('torch.')}{list(spec.shape)} on cpu"
        return f"input {name} is {found}, the program was compiled for {wanted}"


def _fits(spec: Spec, x: torch.Tensor) -> bool:
    return x.dtype is spec.dtype and x.shape == spec.shape and x.is_cpu
