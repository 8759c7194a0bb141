"""Recognising kernels that compute a softmax over a row: the weights of attention.

    x = anything;  m = reduce maximum x;  e = exp(x - m);  s = reduce add e;  store e / s

torch's attention also handles completely masked rows: all(x == -inf) ? 0 : e / s.
"""

from dataclasses import dataclass
from math import inf

from compiler_core.ir.sizes import Size
from compiler_core.kernel import affine
from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Reduce, Store
from compiler_core.kernel.kernel import Compute, Const, Def, Index, Kernel
from compiler_core.report.reasons import Reason

NEEDED_ELSEWHERE = (
    "the softmax's weights are also returned or read by another step, as by a gradient"
)
Origins = tuple[int, ...]


def refusal(why: str) -> Reason:
    """Why a softmax between two products is no attention."""
    return Reason("attention kept" if why == NEEDED_ELSEWHERE else "no attention", why)


@dataclass(frozen=True)
class Softmax:
    """`score` is the value whose softmax `store` writes; `zeroed`: a row of minus infinities gives
    zeros rather than NaN. `top` to `share` are the captured operations of the largest score, the
    exponentials, their sum and the division."""

    score: str
    store: Store
    zeroed: bool
    top: Origins
    weight: Origins
    total: Origins
    share: Origins


@dataclass(frozen=True)
class NoSoftmax:
    """Why a kernel computes no softmax. `near`: it contains the softmax of a row and something else
    beside it."""

    reason: str
    near: bool = False


def softmax_of(kernel: Kernel) -> Softmax | NoSoftmax:
    """The softmax that a kernel with a single output computes."""
    effects = kernel.effects
    reduces = {e.monoid: e for e in effects if isinstance(e, Reduce)}
    stores = [e for e in effects if isinstance(e, Store)]
    top, total = reduces.get("maximum"), reduces.get("add")
    if top is None or total is None or kernel.scans or kernel.scattered:
        return NoSoftmax("the kernel between the products is no softmax of a row")
    (score,), (m,), (e,), (s,) = top.args, top.names, total.args, total.names
    if _args(kernel, _args(kernel, e, "exponential")[0], "subtract") != (score, m):
        return NoSoftmax("the kernel between the products is no softmax of a row")
    if not any(_args(kernel, d.name, "divide") == (e, s) for d in kernel.defs):
        return NoSoftmax("the kernel between the products is no softmax of a row")
    if len({x.value for x in stores}) != 1 or stores[0].mask is not None:
        return NoSoftmax(
            "the kernel of the softmax writes other values beside the weights", near=True
        )
    if len(stores) != 1:
        return NoSoftmax(NEEDED_ELSEWHERE, near=True)
    if len(reduces) + len(stores) != len(effects):
        return NoSoftmax(
            "the kernel of the softmax has a further reduction beside the softmax's own", near=True
        )
    value = _plain(kernel, stores[0].value)
    whole = reduces.get("and")
    if whole is not None:
        value = _unless_masked(kernel, value, whole, score)
    if _args(kernel, value, "divide") != (e, s):
        return NoSoftmax("the weights are changed after the softmax, as dropout does", near=True)
    return Softmax(
        score, stores[0], whole is not None, top.origins,
        _between(kernel, e, (score, m)), total.origins, _between(kernel, stores[0].value, (e, s)),
    )  # fmt: skip


def _between(kernel: Kernel, value: str, known: tuple[str, ...]) -> Origins:
    """The definitions that `value` depends on, up to `known`."""
    needed = kernel.needed((value,), known)
    return tuple(sorted({o for d in needed for o in d.origins}))


def _args(kernel: Kernel, name: str, op: str) -> tuple[str, ...]:
    """The operands of a value computed by `op`, looking through conversions; else empty strings."""
    d = kernel.definitions.get(_plain(kernel, name))
    return d.args if isinstance(d, Compute) and d.op == op else ("", "", "")


def _plain(kernel: Kernel, name: str) -> str:
    """The value without conversions between floats."""
    d = kernel.definitions.get(name)
    while isinstance(d, Compute) and d.op == "convert" and d.dtype.is_float:
        name = d.args[0]
        d = kernel.definitions.get(name)
    return name


def _unless_masked(kernel: Kernel, value: str, whole: Reduce, score: str) -> str:
    """y of select(all(score == -inf), 0, y)."""
    chosen = _args(kernel, value, "select")
    test = _args(kernel, whole.args[0], "compare")
    if chosen[0] != whole.names[0] or _number(kernel, chosen[1]) != 0:
        return ""
    same = _plain(kernel, test[0]) == _plain(kernel, score) and _number(kernel, test[1]) == -inf
    return _plain(kernel, chosen[2]) if same else ""


def _number(kernel: Kernel, name: str) -> float | None:
    d = kernel.definitions.get(name)
    return float(d.value) if isinstance(d, Const) else None


# -- which keys a row can see

# A number that is added to, or replaces, a masked score: the exponential of its difference from any
# score is 0.
_MASKED = -1e30


def last_key(kernel: Kernel, score: str, row: str, key: str) -> int | None:
    """The smallest `reach` such that every key > row + `reach` is masked, as the kernel's text
    proves: 0 for a causal mask. None if there is no such mask."""
    found = _Masks(kernel, score, row, key).reaches.get(score)
    if found is None:
        return None
    reach, fill = found
    # A finite fill counts where it is all that a row has.
    return None if fill > -inf and reach < 0 else reach


class _Masks:
    """What is known of the values that a score depends on. `reaches`: how far a row sees in it, and
    what stands beyond that; `bounds`: the most that key - row can be where a bool value is the one
    or the other; `indices`: an integer as an index."""

    def __init__(self, kernel: Kernel, score: str, row: str, key: str) -> None:
        self.kernel, self.row, self.key = kernel, row, key
        self.reaches = dict[str, tuple[int, float] | None]()
        self.bounds = dict[tuple[str, bool], int | None]()
        self.indices = dict[str, Affine | None]()
        for d in kernel.needed((score,)):  # operands first
            self.indices[d.name] = self._index(d)
            for wanted in (True, False):
                self.bounds[d.name, wanted] = self._bound(d, wanted)
            self.reaches[d.name] = self._reach(d)

    def _reach(self, d: Def) -> tuple[int, float] | None:
        if not isinstance(d, Compute):
            return None
        if d.op in ("add", "convert"):
            return next((r for a in d.args if (r := self.reaches.get(a)) is not None), None)
        if d.op == "select":
            for wanted, fill in ((True, d.args[2]), (False, d.args[1])):
                value, reach = _number(self.kernel, fill), self.bounds.get((d.args[0], wanted))
                if value is not None and value <= _MASKED and reach is not None:
                    return reach, value
        return None

    def _bound(self, d: Def, wanted: bool) -> int | None:
        if not isinstance(d, Compute):
            return None
        match d.op:
            case "compare":
                return self._compared(d, wanted)
            case "not":
                return self.bounds.get((d.args[0], not wanted))
            case "and" | "or" if (d.op == "and") is wanted:
                known = (self.bounds.get((a, wanted)) for a in d.args)
                return min((b for b in known if b is not None), default=None)
            case "select":
                sides = [_number(self.kernel, a) for a in d.args[1:]]
                if sides in ([1, 0], [0, 1]):
                    return self.bounds.get((d.args[0], wanted is (sides == [1, 0])))
        return None

    def _compared(self, d: Compute, wanted: bool) -> int | None:
        left, right = (self.indices.get(a) for a in d.args)
        if left is None or right is None:
            return None
        direction = d.direction if wanted else _OPPOSITE.get(d.direction, "")
        if direction in ("GE", "GT"):
            left, right = right, left
        strict = direction in ("LT", "GT")
        if direction not in ("LE", "LT", "GE", "GT"):
            return None
        # left <= right, that is key - row <= the offsets' difference.
        steps = {a: left.stride(a) - right.stride(a) for a, _ in (*left.terms, *right.terms)}
        steps = {a: s for a, s in steps.items() if s}
        if steps != {self.key: 1, self.row: -1}:
            return None
        distance = right.offset - left.offset
        return None if isinstance(distance, Size) else distance - strict

    def _index(self, d: Def) -> Affine | None:
        if isinstance(d, Const) and not d.dtype.is_float:
            return Affine((), int(d.value))
        if isinstance(d, Index) and not d.access.indirect:
            return d.access
        if isinstance(d, Compute) and d.op in ("add", "subtract"):
            sides = [self.indices.get(a) for a in d.args]
            return _combined(sides[0], sides[1], 1 if d.op == "add" else -1)
        return None


_OPPOSITE = {"LE": "GT", "LT": "GE", "GE": "LT", "GT": "LE"}


def _combined(a: Affine | None, b: Affine | None, sign: int) -> Affine | None:
    return None if a is None or b is None else affine.add(a, affine.scale(b, sign))
