"""The error of a value against the same in float64, element by element."""

import math
from dataclasses import dataclass, field

import torch
from msgspec import structs

from compiler_core import report
from compiler_core.measure.output_error import FLOOR, rounded_to_infinity

# Elements at a time: what is computed on the way stays small, 512 KiB in float64.
_PIECE = 1 << 16
_EXPONENT = 0x7FF << 52  # the bits of a float64 that say its power of two


def error_size(
    x: torch.Tensor, exact: torch.Tensor, terms: torch.Tensor | None = None
) -> report.ErrorSize:
    """The error of `x` against `exact`, of the same shape; float64 where `x` is floating-point,
    else of the type of `x`. Of sums, `terms` are the magnitudes of their terms, in float64."""
    given, right = _plain(x), _plain(exact)
    of = _OfFloats(tuple(x.shape)) if x.is_floating_point() else _OfIntegers(tuple(x.shape))
    if isinstance(of, _OfFloats):
        right = right.double()
        of.floor = FLOOR * _rms(right) or torch.finfo(torch.float64).tiny
    pieces = zip(given.split(_PIECE), right.split(_PIECE), strict=True)
    for number, (part, wanted) in enumerate(pieces):
        if part.numel():
            of.add(part, wanted, number * _PIECE)
    found = of.result()
    if terms is None or not isinstance(of, _OfFloats):
        return found
    return structs.replace(found, of_terms=_finite(_relative_to(given, right, _plain(terms))))


def _relative_to(x: torch.Tensor, right: torch.Tensor, terms: torch.Tensor) -> float:
    """The largest error relative to `terms`; where these are nothing, there is none."""
    least = torch.finfo(torch.float64).tiny
    pieces = zip(x.split(_PIECE), right.split(_PIECE), terms.split(_PIECE), strict=True)
    off = [((a.double() - b).abs() / t.clamp_min(least)).max() for a, b, t in pieces if a.numel()]
    return float(torch.stack(off).max()) if off else 0.0


def _plain(x: torch.Tensor) -> torch.Tensor:
    """In one dimension; wide unsigned integers, which torch cannot compare, as signed ones."""
    flat = x.detach().cpu().reshape(-1)
    if flat.dtype is torch.uint64:
        return flat.view(torch.int64)
    return flat.long() if flat.dtype in (torch.uint16, torch.uint32) else flat


def _rms(right: torch.Tensor) -> float:
    finite = right[right.isfinite()]
    return float(torch.linalg.vector_norm(finite)) / math.sqrt(max(1, finite.numel()))


@dataclass
class _Sizes:
    """The largest so far; `worst` is the relative error at `place`."""

    shape: tuple[int, ...]
    absolute: float = 0.0
    relative: float = 0.0
    ulps: float = 0.0
    differing: int = 0
    worst: float = 0.0
    place: int = 0
    got: float = 0.0
    exact: float = 0.0

    def result(self) -> report.ErrorSize:
        if not self.differing and not self.worst:
            return report.ErrorSize()
        return report.ErrorSize(
            _finite(self.absolute), _finite(self.relative), _finite(self.ulps), self.differing,
            _index(self.place, self.shape), _finite(self.got), _finite(self.exact),
        )  # fmt: skip

    def _place(self, errors: torch.Tensor, x: torch.Tensor, right: torch.Tensor, at: int) -> None:
        if float(errors.max()) > self.worst:
            worst = int(errors.argmax())
            self.worst, self.place = float(errors[worst]), at + worst
            self.got, self.exact = float(x[worst]), float(right[worst])


@dataclass
class _OfFloats(_Sizes):
    floor: float = field(default=0.0)

    def add(self, part: torch.Tensor, right: torch.Tensor, at: int) -> None:
        off = (part.double() - right).abs_()
        if math.isfinite(float(off.max())):
            self.differing += int((part != right.to(part.dtype)).sum())
            self._add(off, right.abs().clamp_min_(self.floor), part, right, at)
        else:
            self._add_any(part, right, at)

    def _add_any(self, part: torch.Tensor, right: torch.Tensor, at: int) -> None:
        """With infinities or NaN, each of which has its place."""
        self.differing += int((~_alike(part, right.to(part.dtype))).sum())
        x = rounded_to_infinity(part, part.double(), right)
        off = (x - right).abs_().masked_fill_(_alike(x, right), 0.0)
        off.nan_to_num_(nan=math.inf, posinf=math.inf)
        size = right.abs().clamp_min_(self.floor).nan_to_num_(nan=1.0, posinf=1.0)
        self._add(off, size, part, right, at)

    def _add(
        self, off: torch.Tensor, size: torch.Tensor, x: torch.Tensor, right: torch.Tensor, at: int
    ) -> None:
        """Of elements that are `off`, as numbers or infinite, and held against `size`."""
        relative = off / size
        self.absolute = max(self.absolute, float(off.max()))
        self.relative = max(self.relative, float(relative.max()))
        self.ulps = max(self.ulps, float(off.div_(unit(size, x.dtype)).max()))
        self._place(relative, x, right, at)


@dataclass
class _OfIntegers(_Sizes):
    def add(self, part: torch.Tensor, right: torch.Tensor, at: int) -> None:
        other = part != right
        self.differing += int(other.sum())
        off = (part.double() - right.double()).abs().masked_fill(~other, 0.0)
        self.absolute = max(self.absolute, float(off.max()))
        if bool(other.any()):
            self.relative = self.ulps = math.inf
        self._place(off, part, right, at)


def unit(size: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The unit in the last place of `dtype` at each of `size`, float64 and not negative."""
    info = torch.finfo(dtype)
    # Without its fraction, a number is the power of two below it.
    power = (size.view(torch.int64) & _EXPONENT).view(torch.float64)
    return power.clamp_min_(info.tiny).mul_(info.eps)


def _alike(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return (x == y) | (x.isnan() & y.isnan())


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None


def _index(place: int, shape: tuple[int, ...]) -> list[int]:
    found = []
    for extent in reversed(shape):
        place, index = divmod(place, extent)
        found.append(index)
    return found[::-1]
