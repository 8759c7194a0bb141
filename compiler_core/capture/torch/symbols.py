"""torch's symbolic sizes as ours. Whatever is private in torch is wrapped in one small function
each."""

import contextlib
import math
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from compiler_core.capture.torch.expressions import (
    converted,
    exact_division,
    is_of_float,
    proved,
    shown,
)
from compiler_core.capture.torch.fixed import Fixed
from compiler_core.capture.torch.private import onednn, sizes_asserted
from compiler_core.interop.private import FakeTensorMode
from compiler_core.ir.sizes import MOST, Depends, Dim, Symbol, Undecided
from compiler_core.snippet.source import place

# By shape environment, the symbols as declared: torch narrows its own ranges while it traces.
_known: "weakref.WeakKeyDictionary[Any, dict[str, Symbol]]" = weakref.WeakKeyDictionary()
# By shape environment, the snippet's lines that caused torch's guards, by the guards' numbers.
_asked_on: "weakref.WeakKeyDictionary[Any, dict[int, int | None]]" = weakref.WeakKeyDictionary()
# How far a symbol's range is narrowed so that no part of it is 0 or 1.
_FEW = 64
# By shape environment, the symbols as they are in a graph, with the ranges that torch has derived.
_settled: "weakref.WeakKeyDictionary[Any, dict[str, Symbol]]" = weakref.WeakKeyDictionary()


def dim_of(value: Any) -> Dim:
    """A size of torch's, an int or a SymInt, as ours. Raises Undecided unless it is a sum of
    products and quotients of the program's sizes, as the larger of two is not."""
    if not isinstance(value, torch.SymInt):
        return int(value)
    return dim_of_expression(value.node.expr, value.node.shape_env)


def dim_of_expression(expression: Any, environment: Any) -> Dim:
    """An expression of a shape environment as our size, as by `dim_of`; raises Fixed for one that
    is computed from a float, such as the floor of a root."""
    known = {s: _symbol(environment, s) for s in expression.free_symbols}
    try:
        return converted(expression, known)
    except Undecided:
        if is_of_float(expression):
            raise Fixed({}, {symbol.name: symbol.hint for symbol in known.values()}) from None
        raise


def depends_on_values(value: Any) -> bool:
    """Whether a tensor's shape, or a number, depends on the values of tensors."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    kinds = torch.Tensor | torch.SymInt | torch.SymFloat | torch.SymBool
    return isinstance(value, kinds) and bool(free_unbacked_symbols(value))


def is_number(value: Any) -> bool:
    """Whether a SymInt is one of the program's integers, which may be negative, or is computed from
    such, rather than a size."""
    if not isinstance(value, torch.SymInt):
        return False
    ranges = value.node.shape_env.var_to_range
    symbols = value.node.expr.free_symbols
    return any(s in ranges and not ranges[s].lower.is_nonnegative for s in symbols)


def fakes(
    mode: FakeTensorMode,
    tensors: Sequence[torch.Tensor],
    names: Sequence[Sequence[str]],
    ranges: Mapping[str, tuple[int, int | None]],
) -> list[torch.Tensor]:
    """A fake tensor for each of `tensors`, whose dimensions with a name in `names` are symbols of
    that name, with the least and the greatest size in `ranges` where it has the name. `mode` has a
    shape environment. Raises Undecided for such a tensor that is not contiguous."""
    sizes: dict[str, torch.SymInt] = {}
    found = []
    for tensor, own in zip(tensors, names, strict=True):
        for name, actual in zip(own, tensor.shape, strict=False):
            if name and name not in sizes:
                low, high = ranges.get(name, (2, None))
                known = Symbol(name, actual, low, MOST if high is None else high)
                sizes[name] = _new_size(mode, known)
        if not any(own):
            found.append(mode.from_tensor(tensor, static_shapes=True))
            continue
        if not tensor.is_contiguous():
            raise Undecided("an argument is not contiguous, and its sizes vary")
        shape = [sizes[n] if n else s for n, s in zip(own, tensor.shape, strict=True)]
        with mode:
            found.append(torch.empty(shape, dtype=tensor.dtype, device=tensor.device))
    return found


def _new_size(mode: FakeTensorMode, symbol: Symbol) -> torch.SymInt:
    from torch.fx.experimental.symbolic_shapes import DimDynamic, StatelessSymbolicContext

    carrier = mode.from_tensor(
        torch.empty(symbol.hint),
        static_shapes=False,
        symbolic_context=StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC]),
    )
    (size,) = carrier.shape
    assert isinstance(size, torch.SymInt)
    environment = size.node.shape_env
    _known.setdefault(environment, {})[str(size.node.expr)] = symbol
    return size


def environment() -> Any:
    """torch's shape environment, which keeps symbols and their guards."""
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    class Asked(ShapeEnv):
        """Knows which line of the snippet has asked, by the number of the guard."""

        def evaluate_expr(self, *args: Any, **kwargs: Any) -> Any:
            before = len(self.guards)
            answer = super().evaluate_expr(*args, **kwargs)
            if len(self.guards) > before:
                _asked_on.setdefault(self, {})[before] = (place() or (None, 0))[0]
            return answer

    return Asked(allow_scalar_outputs=False, allow_dynamic_output_shape_ops=False)


@contextlib.contextmanager
def no_layouts_compared() -> Iterator[None]:
    """Context in which a convolution does not ask for the size of its batch, by which torch would
    choose between two libraries and their layouts."""
    with onednn(on=False), torch.backends.nnpack.flags(enabled=False):
        yield


@contextlib.contextmanager
def assertions_narrow(mode: FakeTensorMode) -> Iterator[None]:
    """Context in which a program's assertion about a size (`torch._check`) narrows the range of the
    symbol: the program raises for other sizes anyway."""
    environment = mode.shape_env

    def narrowing(ask: Callable[[], bool]) -> bool:
        before = dict(environment.var_to_range)
        answer = ask()
        for own, after in environment.var_to_range.items():
            _narrow(environment, str(own), before.get(own, after), after)
        return answer

    with sizes_asserted(narrowing):
        yield


def _narrow(environment: Any, name: str, before: Any, after: Any) -> None:
    """Only by bounds that differ: what a branch has asked before is no assertion."""
    known = _known.get(environment, {})
    if name in known and after.lower != before.lower:
        known[name] = replace(known[name], low=max(known[name].low, int(after.lower)))
    if name in known and after.upper != before.upper:
        high = min(int(after.upper), known[name].high or MOST)
        known[name] = replace(known[name], high=high)


def asked(mode: FakeTensorMode) -> Depends | None:
    """The first question that `mode` answered for the sizes of the captured call although the
    answer depends on symbols, together with all others about the same symbols; None if there was
    none."""
    environment = mode.shape_env
    guards = () if environment is None else enumerate(environment.guards)
    open_ = [(g.expr, number) for number, g in guards if not _holds(g.expr, environment)]
    if not open_:
        return None
    first, number = open_[0]
    together = [each for each, _ in open_ if each.free_symbols == first.free_symbols]
    own = {_symbol(environment, s): s for s in first.free_symbols}

    def holds(values: Mapping[Symbol, int]) -> bool:
        numbers = {own[symbol]: value for symbol, value in values.items()}
        return all(bool(each.xreplace(numbers)) for each in together)

    texts = dict.fromkeys(shown(each, _known.get(environment, {})) for each in together)
    said = f"the program asks whether {_listed(list(texts))}"
    line = _asked_on.get(environment, {}).get(number)
    return Depends(said, sorted(own, key=lambda s: s.name), holds, line)


def _listed(texts: Sequence[str]) -> str:
    """The first and the last of several."""
    return " and ".join(dict.fromkeys([texts[0], texts[-1]]))


def fixed(mode: FakeTensorMode) -> Fixed | None:
    """The sizes that `mode` was asked to compare with a number that they equal, and those from
    which a float was computed whose value it was asked for; None if there are none."""
    environment = mode.shape_env
    known = _known.get(environment, {})
    equal: dict[str, int] = {}
    computed: dict[str, int] = {}
    lines: list[int | None] = []
    for number, guard in enumerate(getattr(environment, "guards", ())):
        one = _equation(guard.expr, known)
        of = {} if _holds(guard.expr, environment) else _of_float(guard.expr, known)
        equal, computed = equal | one, computed | of
        lines += [_asked_on.get(environment, {}).get(number)] if one or of else []
    line = next(filter(None, lines), None)
    return Fixed(equal, computed, line) if equal or computed else None


def _equation(question: Any, known: Mapping[str, Symbol]) -> dict[str, int]:
    """The size, by name, that is compared with the number that it equals."""
    if type(question).__name__ != "Equality":
        return {}
    left, right = question.args
    symbol = known.get(str(left))
    is_so = symbol is not None and right.is_Integer and symbol.hint == int(right)
    return {symbol.name: int(right)} if symbol is not None and is_so else {}


def _of_float(question: Any, known: Mapping[str, Symbol]) -> dict[str, int]:
    names = map(str, question.free_symbols) if is_of_float(question) else ()
    return {known[s].name: known[s].hint for s in names if s in known}


def _holds(question: Any, environment: Any) -> bool:
    """Whether the answer is yes for all values of the symbols."""
    return proved(question, {s: _symbol(environment, s) for s in question.free_symbols})


def _multiple(environment: Any, name: str) -> int:
    """What torch's guards leave a symbol to be a multiple of: where 6 * n has to be one of 24, n
    is one of 4."""
    divided = (*environment.divisible, *(g.expr for g in environment.guards))
    found = [1]
    for dividend, by in filter(None, map(exact_division, divided)):
        factor, rest = dividend.as_coeff_Mul()
        if rest.is_Symbol and str(rest) == name and factor.is_Integer:
            found.append(by // math.gcd(by, int(factor)))
    return math.lcm(*found)


def _symbol(environment: Any, own: Any) -> Symbol:
    """Of one of torch's, with what torch knows of it by now: asked for only when a trace is
    complete."""
    settled, name = _settled.setdefault(environment, {}), str(own)
    if name not in settled:
        known = _known.get(environment, {}).get(name)
        if known is None:
            low, high = _range(environment, name)
            known = Symbol(name.capitalize(), _hint(environment, name), low, high)
        by = _multiple(environment, name)
        known = replace(known, low=-(-known.low // by) * by, multiple=by)
        settled[name] = _beyond_one(environment, own, known)
    return settled[name]


def _beyond_one(environment: Any, own: Any, symbol: Symbol) -> Symbol:
    """From where on no size that is made of the symbol is 0 or 1: these are of another kind, and
    torch asks whether a half is one of them."""
    for question in (g.expr for g in environment.guards):
        if type(question).__name__ != "Unequality" or question.free_symbols != {own}:
            continue
        if not question.args[1].is_Integer or question.args[1] > 1:
            continue
        low = symbol.low
        while low <= min(symbol.hint, _FEW) and not proved(question, {own: symbol}):
            symbol, low = replace(symbol, low=low), low + symbol.multiple
    return symbol


def _range(environment: Any, name: str) -> tuple[int, int]:
    """What torch's guards leave of a symbol."""
    (found,) = (r for s, r in environment.var_to_range.items() if str(s) == name)
    if not found.lower.is_nonnegative:
        raise Undecided(f"{name} may be negative, and is part of an expression")
    return int(found.lower), min(int(found.upper), MOST) if found.upper.is_Integer else MOST


def _hint(environment: Any, name: str) -> int:
    """The value in the captured call. Raises Undecided for a size that only a tensor's values
    say."""
    values = getattr(environment, "backed_var_to_val", None)
    if values is None:
        values = environment.var_to_val
    for symbol, value in values.items():
        if str(symbol) == name:
            return int(value)
    raise Undecided(f"the size {name} depends on a tensor's values")
