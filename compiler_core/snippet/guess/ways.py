"""What a framework's message says of sizes that do not fit, and the changes of one tensor that may
repair them: `mat1 and mat2 shapes cannot be multiplied (128x256 and 8x64)` says that 256 should be
8."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from math import prod

from compiler_core.inputs import FLOATS, Drawn, InputSpec

Way = Callable[[InputSpec], InputSpec | None]
Sizes = tuple[int, ...]

# Whether the last axis is meant.
_ENDS = (True, False)
# The axes of a sequence in the order in which they are tried: length, number, features.
_MIDDLE = (1, 0, 2)
# How many tensors of one size may be concatenated with one more.
_JOINED = 3
# The length of sequences of which nothing else is known, as in most guesses.
_LONGEST = 8
# Messages about two operands of an elementwise operation, one of which may have an axis too many.
_ELEMENTWISE = (re.compile(r"tensor a \((\d+)\) must match the size of tensor b \((\d+)\)"),)
_SHAPES = re.compile(r"ncompatible shapes for broadcasting.*\(([\d, ]*)\), \(([\d, ]*)\)")
# The message about tensors that are concatenated.
JOINED = re.compile(
    r"Expected (?:size )?(\d+)(?: in dimension \d+)? but got (?:size )?(\d+) for tensor number"
)
# Messages after which either operand may be wrong, or only the first, or the second.
_EITHER = (
    *_ELEMENTWISE,
    re.compile(r"contracting dimensions .*got \((\d+),\) and \((\d+),\)"),
    JOINED,
    re.compile(r"Size of label .* \((\d+)\) does not match previous terms \((\d+)\)"),
)
_FIRST = (
    re.compile(r"cannot be multiplied \(\d+x(\d+) and (\d+)x"),
    re.compile(
        r"batch_shape\+event_shape: torch.Size\(\[(?:\d+, )*(\d+)\]\) "
        r"vs torch.Size\(\[(?:\d+, )*(\d+)\]\)"
    ),
    re.compile(r"same reduction dim, but got \[\d+, (\d+)\] X \[(\d+), "),
)
# The message about images, along the axis after the first.
_CHANNELS = re.compile(r"to have (\d+) channels, but got (\d+) channels")
_SECOND = (
    re.compile(r"expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\)"),
    re.compile(r"normalized_shape=\[(?:\d+, )*(\d+)\].*input of size ?\D*\[(?:\d+, )*(\d+)\]"),
    _CHANNELS,
)
# The message about a value that is written to a place, with all sizes of both.
_WRITTEN = re.compile(r"Target sizes: \[([\d, ]+)\]\. +Tensor sizes: \[([\d, ]+)\]")
# The message about a shape that does not fit a tensor: `x.view(B, H, W, C)` of B sequences of C
# features.
_VIEWED = re.compile(r"shape '\[([\d, ]+)\]' is invalid for input of size (\d+)")
# The message about a loop in JAX whose carry has another type after its body.
_CARRIED = re.compile(
    r"has type \w+\[([\d,]*)\] but the corresponding output\D* has type \w+\[([\d,]*)\]"
)
# The message about an operand beside a larger one, with the sizes of that.
_SMALLER = re.compile(
    r"had torch\.Size\(\[([\d, ]+)\]\); but expected shape should be broadcastable to \[([\d, ]+)\]"
)
# The message about numbers where each call of a function under vmap should get one.
_NUMBERS = re.compile(
    r"Gradient only defined for scalar-output functions. Output had shape|"
    r"All input arrays must have the same shape|"
    r"concatenate arrays with different numbers of dimensions"
)
# The message about a tensor that is broadcast to others, integers included.
_SPREAD = re.compile(
    r"broadcast a dimension of length (\d+) at -1.*broadcastable to \[(?:\d+, )*(\d+)\]"
)
# The message about labels and other integers for a different number of examples.
_EXAMPLES = re.compile(r"input batch_size \((\d+)\) to match target batch_size \((\d+)\)")
# The message about the lengths of padded sequences.
_LENGTHS = re.compile(
    r"'lengths' argument should be a 1D|Index is supposed to be a vector|"
    r"`lengths` array must be sorted|"
    r"len\(lengths\)` to be equal to batch_size|Length of all samples has to be greater than 0"
)
# The message about integers, with the largest that is allowed or the first that is too large.
_LARGEST = re.compile(r"IntegerInterval\(lower_bound=0, upper_bound=(\d+)\)")
_TOO_LARGE = re.compile(r"out of bounds for dimension \d+ with size (\d+)")
# The message about a label of no class.
_NO_CLASS = re.compile(r"Target (\d+) is out of bounds")


def ways(error: str) -> Iterator[Way]:
    """The changes of one spec that may repair the sizes in the message `error`, likeliest first."""
    for read in (_of_channels, _of_sizes, _of_shapes, _of_spreading, _of_numbers):
        yield from read(error)


def _of_channels(error: str) -> Iterator[Way]:
    """Of one image, or of each of several that are joined."""
    for said in _CHANNELS.finditer(error):
        yield _of_floats(partial(_resized_along, axis=1, had=int(said[2]), wanted=int(said[1])))


def _of_sizes(error: str) -> Iterator[Way]:
    """Without an axis of that size; with the size that is wanted, or a part of it."""
    for had, _ in _differing(error) if _has_same_last(error) else ():
        yield _of_floats(partial(_without_first, had=had))
    for had, wanted in _sizes(error):
        if any(pattern.search(error) for pattern in (*_ELEMENTWISE, _SHAPES)):
            yield _of_floats(partial(_without_last, had=had))
        yield from (_of_floats(partial(_resized, had=had, wanted=wanted, last=x)) for x in _ENDS)
        if JOINED.search(error):
            yield _of_floats(partial(_resized_everywhere, had=had, wanted=wanted))


def _of_shapes(error: str) -> Iterator[Way]:
    """With all of the sizes that are wanted; without an axis."""
    for pattern in (_WRITTEN, _CARRIED):
        for said in pattern.finditer(error):
            yield partial(_reshaped, had=_shape(said[1]), wanted=_shape(said[2]))
    for said in _VIEWED.finditer(error):
        wanted = prod(_shape(said[1]))
        yield from (partial(_scaled, axis=x, had=int(said[2]), wanted=wanted) for x in _MIDDLE)
    for said in _SMALLER.finditer(error):
        yield _of_floats(partial(_reshaped, had=_shape(said[2]), wanted=_shape(said[1])))
    if _NUMBERS.search(error):
        yield _of_floats(_without_last)


def _of_spreading(error: str) -> Iterator[Way]:
    for said in _SPREAD.finditer(error):
        yield partial(_resized, had=int(said[1]), wanted=int(said[2]))
        yield _of_floats(partial(_resized, had=int(said[2]), wanted=int(said[1])))


def _of_numbers(error: str) -> Iterator[Way]:
    """Of whole numbers: how many there are, and below what."""
    for said in _EXAMPLES.finditer(error):
        yield _of_whole_numbers(partial(_resized, had=int(said[2]), wanted=int(said[1])))
    for pattern, more in ((_LARGEST, 1), (_TOO_LARGE, 0), (_NO_CLASS, 0)):
        for said in pattern.finditer(error):
            yield _of_whole_numbers(partial(_below, least=int(said[1]) + more))
    if _LENGTHS.search(error):
        for sorted_, axis in product((False, True), (0, 1)):
            yield _of_whole_numbers(partial(_lengths, sorted_=sorted_, axis=axis))


def _sizes(error: str) -> Iterator[tuple[int, int]]:
    """A size that may be wrong, and the one that it is to be then."""
    yield from _differing(error)
    for pattern in (*_EITHER, *_FIRST, *_SECOND):
        if (said := pattern.search(error)) is not None:
            one, other = int(said[1]), int(said[2])
            yield from [(one, other)] if pattern not in _SECOND else []
            yield from [(other, one)] if pattern not in _FIRST else []


def _differing(error: str) -> Iterator[tuple[int, int]]:
    """The sizes, from the last on, that two operands have of one axis; either may be wrong."""
    if (said := _SHAPES.search(error)) is not None:
        pairs = zip(reversed(_shape(said[1])), reversed(_shape(said[2])), strict=False)
        for one, other in pairs:
            if one != other and 1 not in (one, other):
                yield from ((one, other), (other, one))


def _has_same_last(error: str) -> bool:
    """Whether two operands differ along other axes than the last alone."""
    said = _SHAPES.search(error)
    return said is not None and _shape(said[1])[-1:] == _shape(said[2])[-1:]


def _shape(text: str) -> Sizes:
    return tuple(map(int, filter(None, text.replace(" ", "").split(","))))


def _of_floats(way: Way) -> Way:
    return lambda spec: way(spec) if spec.dtype in FLOATS else None


def _of_whole_numbers(way: Way) -> Way:
    return lambda spec: None if spec.dtype in FLOATS else way(spec)


def _below(spec: InputSpec, least: int) -> InputSpec | None:
    return replace(spec, drawn=Drawn("uniform", (0, least))) if least > 0 else None


def _lengths(spec: InputSpec, sorted_: bool, axis: int) -> InputSpec | None:
    """Lengths of as many sequences as the tensor has along an axis, of at most as many elements as
    it has along any."""
    if axis >= len(spec.shape):
        return None
    longest = min(spec.shape) if len(spec.shape) > 1 else _LONGEST
    drawn = Drawn("constant", (longest,)) if sorted_ else Drawn("uniform", (1, longest + 1))
    return replace(spec, shape=(spec.shape[axis],), drawn=drawn)


def _resized(spec: InputSpec, had: int, wanted: int, last: bool = True) -> InputSpec | None:
    """Along the last axis that fits, or the first."""
    axes = range(len(spec.shape))
    found = (_resized_along(spec, axis, had, wanted) for axis in (reversed(axes) if last else axes))
    return next((each for each in found if each is not None), None)


def _resized_along(spec: InputSpec, axis: int, had: int, wanted: int) -> InputSpec | None:
    size = _part(spec.shape[axis], had, wanted) if axis < len(spec.shape) else None
    if size is None:
        return None
    return replace(spec, shape=(*spec.shape[:axis], size, *spec.shape[axis + 1 :]))


def _resized_everywhere(spec: InputSpec, had: int, wanted: int) -> InputSpec | None:
    """Along the several axes of that size: of images that are joined, both are to fit."""
    if spec.shape.count(had) < 2:
        return None
    return replace(spec, shape=tuple(wanted if size == had else size for size in spec.shape))


def _scaled(spec: InputSpec, axis: int, had: int, wanted: int) -> InputSpec | None:
    """With `wanted` elements in the place of `had`, by the size of one axis."""
    if axis >= len(spec.shape) or prod(spec.shape) != had:
        return None
    size, rest = divmod(spec.shape[axis] * wanted, had)
    shape = (*spec.shape[:axis], size, *spec.shape[axis + 1 :])
    return replace(spec, shape=shape) if size and not rest else None


def _part(size: int, had: int, wanted: int) -> int | None:
    """What is to be in the place of `size`, of which `had` is a multiple; or few times that and
    one more, as where two nodes' features are joined with their distance."""
    times, more = divmod(had, size) if size > 1 else (0, 0)
    if not times or more > (times <= _JOINED) or (wanted - more) % times or wanted <= more:
        return None
    return (wanted - more) // times


def _without_last(spec: InputSpec, had: int | None = None) -> InputSpec | None:
    ends = len(spec.shape) > 1 and had in (None, spec.shape[-1])
    return replace(spec, shape=spec.shape[:-1]) if ends else None


def _without_first(spec: InputSpec, had: int) -> InputSpec | None:
    begins = len(spec.shape) > 1 and spec.shape[0] == had
    return replace(spec, shape=spec.shape[1:]) if begins else None


def _reshaped(spec: InputSpec, had: Sizes, wanted: Sizes) -> InputSpec | None:
    """With the sizes that are wanted in the place of those that it had, wherever it has them."""
    for at in range(len(spec.shape) - len(had) + 1 if had or not spec.shape else 0):
        after = at + len(had)
        if spec.shape[at:after] == had:
            return replace(spec, shape=(*spec.shape[:at], *wanted, *spec.shape[after:]))
    return None
