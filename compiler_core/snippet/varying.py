"""Which sizes of a torch function's arguments vary from call to call. Some are declared: by
`dynamic=True`, by a mark on a dimension of a tensor, which may have a minimum and a maximum, or by
torch.export's `dynamic_shapes`, unless they are marked as static. The others have another value in
a later call: TorchDynamo makes symbols of them when it compiles for that call (automatic dynamic
shapes, torch._dynamo.pgo)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, zip_longest
from typing import Any

from compiler_core.snippet import specs
from compiler_core.snippet.declared import Declared, Varies

_LEAST = 2
# The beginning of the kind of a tensor.
_TENSOR = "tensor"

Sizes = tuple[tuple[str, ...], ...]
Number = int | float
Place = tuple[str, int]


@dataclass(frozen=True)
class _Leaf:
    """An argument: of a tensor, its sizes are the numbers; of an int or a float, itself."""

    kind: str
    numbers: tuple[Number, ...]

    @property
    def is_tensor(self) -> bool:
        return self.kind.startswith(_TENSOR)

    def may_vary(self, place: int) -> bool:
        """Whether the size at `place` may vary: 0 and 1 are special, as in torch.compile."""
        return not self.is_tensor or self.numbers[place] >= _LEAST


@dataclass(frozen=True)
class _Entry:
    """The arguments that one compilation serves: `varies` are the numbers that are symbols, by path
    and place. With `equal`, those that were equal when it was compiled have to be."""

    leaves: Mapping[str, _Leaf]
    varies: frozenset[tuple[str, int]]
    equal: bool

    def serves(self, call: Mapping[str, _Leaf]) -> bool:
        if call.keys() != self.leaves.keys():
            return False
        return all(map(self._serves, self.leaves, call.values())) and self._are_equal(call)

    def _serves(self, path: str, given: _Leaf) -> bool:
        own = self.leaves[path]
        numbers = enumerate(zip(own.numbers, given.numbers, strict=False))
        return own.kind == given.kind and all(
            given.may_vary(place) if (path, place) in self.varies else a == b
            for place, (a, b) in numbers
        )

    def _are_equal(self, call: Mapping[str, _Leaf]) -> bool:
        """Whether what was one symbol still is."""
        pairs = {(self.leaves[p].numbers[i], call[p].numbers[i]) for p, i in self.varies}
        return not self.equal or len(pairs) == len({a for a, _ in pairs})


@dataclass
class Fixed:
    """The calls of a JAX function, which jax.jit recompiles for every difference except the values
    of numbers that it traces: arguments whose name is in `traced`. `names` are those of positional
    arguments."""

    traced: frozenset[str] = frozenset()
    names: Sequence[str] = ()
    _met: list[list[str]] = field(default_factory=list)
    _compiled: list[list[str]] = field(default_factory=list)
    sizes: Sizes = ()
    ranges: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)
    found: bool = False

    def meet(self, args: Any, kwargs: Any) -> bool:
        """Records a call; returns whether jax.jit compiles for it."""
        named = (*zip_longest(self.names[: len(args)], args), *sorted(kwargs.items()))
        seen = [
            text
            for name, value in named
            for text in (specs.traced if name in self.traced else specs.shown)(value)
        ]
        return _is_new(seen, self._compiled)

    def is_other(self, args: Any, kwargs: Any) -> bool:
        """Records a call; returns whether no earlier one had the same types and numbers."""
        return _is_new(specs.shown((args, kwargs)), self._met)


def _is_new(shown: list[str], among: list[list[str]]) -> bool:
    is_new = shown not in among
    if is_new:
        among.append(shown)
    return is_new


@dataclass
class Varying:
    """The calls of one function. `dynamic` is torch.compile's option: every size varies, none does,
    or those that TorchDynamo finds to vary; without `compiled`, only marked ones do."""

    dynamic: bool | None = None
    compiled: bool = True
    _entries: list[_Entry] = field(default_factory=list)
    # The calls that had to be compiled for, and all different ones.
    _calls: list[Mapping[str, _Leaf]] = field(default_factory=list)
    _met: dict[Any, Mapping[str, _Leaf]] = field(default_factory=dict)
    _marked: dict[Place, Varies] = field(default_factory=dict)
    _static: set[Place] = field(default_factory=set)
    # The sizes that are declared as varying other than by marks on tensors.
    declared: Declared = field(default_factory=dict)

    def meet(self, args: Any, kwargs: Any) -> bool:
        """Records a call; returns whether TorchDynamo compiles for it."""
        call, tensors = _leaves(args, kwargs)
        self._met.setdefault(tuple(call.items()), call)
        if any(entry.serves(call) for entry in self._entries):
            return False
        for path, tensor in tensors.items():
            self._mark(path, tensor)
        self._calls.append(call)
        varies = frozenset(
            (path, place)
            for path, leaf in call.items()
            for place in range(len(leaf.numbers))
            if leaf.may_vary(place) and self._varies(path, place)
        )
        self._entries.append(_Entry(call, varies, bool(self.dynamic)))
        return True

    def _mark(self, path: str, tensor: Any) -> None:
        said = {**_marks(tensor), **self.declared.get(id(tensor), {})}
        self._marked |= {(path, dim): varies for dim, varies in said.items()}
        self._static |= {(path, dim) for dim in getattr(tensor, "_dynamo_static_indices", ())}

    def _varies(self, path: str, place: int) -> bool:
        if (path, place) in self._marked:
            return True
        if (path, place) in self._static:
            return False
        if self.dynamic:
            return True
        return self.dynamic is None and self._changes(path, place)

    def _changes(self, path: str, place: int) -> bool:
        """Whether calls differ there; where they differ in their rank, in every size."""
        met = [call[path].numbers for call in self._calls if path in call]
        ranks = {len(numbers) for numbers in met}
        return len(ranks) > 1 or len({numbers[place] for numbers in met}) > 1

    @property
    def found(self) -> bool:
        """Whether the last call made a number symbolic."""
        *before, last = self._entries
        return not all(last.varies <= entry.varies for entry in before)

    @property
    def sizes(self) -> Sizes:
        """For each tensor of the first call, in the order of torch's pytrees, a name for each
        dimension that varies and "" for the others; () if none does. Dimensions whose sizes are
        equal in every call share a name, as in torch.compile, unless they are declared by two."""
        names: dict[Any, str] = {}
        found = tuple(
            tuple(self._name(path, place, names) for place in range(len(leaf.numbers)))
            for path, leaf in self._first.items()
            if leaf.is_tensor
        )
        return found if names else ()

    @property
    def ranges(self) -> dict[str, tuple[int, int | None]]:
        """For each name in `sizes`, the minimum and maximum that marks allow, which include the
        size of the first call."""
        found: dict[str, tuple[int, int | None]] = {}
        tensors = [(path, leaf) for path, leaf in self._first.items() if leaf.is_tensor]
        for (path, leaf), names in zip(tensors, self.sizes, strict=False):
            for place, name in enumerate(names):
                low, high, _ = self._marked.get((path, place), Varies())
                if name and (low or high):
                    size, (least, most) = int(leaf.numbers[place]), found.get(name, (_LEAST, None))
                    low = min(size, max(least, low or 0))
                    found[name] = low, most if high is None else max(size, min(high, most or high))
        return found

    @property
    def _first(self) -> Mapping[str, _Leaf]:
        return self._calls[0] if self._calls else {}

    def _name(self, path: str, place: int, names: dict[Any, str]) -> str:
        first = self._first[path]
        alike = [e for e in self._entries if path in e.leaves and e.leaves[path].kind == first.kind]
        symbolic = any((path, place) in entry.varies for entry in alike)
        if not symbolic or not first.may_vary(place):
            return ""
        numbers = self._numbers(path, place)
        own = self._declared_name(path, place) or self._name_of_equals(numbers)
        if (numbers, own) not in names:
            others = (f"S{number}" for number in count(len(names)))
            free = (n for n in chain([own], others) if n and n not in names.values())
            names[numbers, own] = next(free)
        return names[numbers, own]

    def _numbers(self, path: str, place: int) -> tuple[Number | None, ...]:
        """In each of the calls."""
        return tuple(_number(call, path, place) for call in self._met.values())

    def _declared_name(self, path: str, place: int) -> str:
        return self._marked.get((path, place), Varies()).name

    def _name_of_equals(self, numbers: tuple[Number | None, ...]) -> str:
        """The name that another dimension with these numbers is given, "" if none is."""
        given = (
            varies.name for at, varies in self._marked.items() if self._numbers(*at) == numbers
        )
        return next(filter(None, given), "")


def _number(call: Mapping[str, _Leaf], path: str, place: int) -> Number | None:
    """None where an argument is of another rank."""
    numbers = call[path].numbers if path in call else ()
    return numbers[place] if place < len(numbers) else None


def _leaves(args: Any, kwargs: Any) -> tuple[dict[str, _Leaf], dict[str, Any]]:
    """The arguments by their paths, and the tensors among them."""
    import torch

    from compiler_core.interop.private import pytree

    found: dict[str, _Leaf] = {}
    tensors: dict[str, Any] = {}
    for path, leaf in pytree.tree_flatten_with_path((tuple(args), dict(kwargs)))[0]:
        name = pytree.keystr(path)
        if isinstance(leaf, torch.Tensor):
            found[name] = _Leaf(f"{_TENSOR} {leaf.dtype} {leaf.dim()}", tuple(leaf.shape))
            tensors[name] = leaf
        elif isinstance(leaf, int | float) and not isinstance(leaf, bool):
            found[name] = _Leaf(type(leaf).__name__, (leaf,))
        else:
            found[name] = _Leaf(f"{type(leaf).__name__} {leaf!r:.40}", ())
    return found, tensors


def _marks(tensor: Any) -> dict[int, Varies]:
    """The dimensions that `torch._dynamo.mark_dynamic` and `maybe_mark_dynamic` were told, with the
    ranges that the former may be given."""
    weak = getattr(tensor, "_dynamo_weak_dynamic_indices", ())
    ranges = getattr(tensor, "_dynamo_dynamic_range", ())
    return {**dict.fromkeys(weak, Varies()), **{r.dim: Varies(r.min, r.max) for r in ranges}}
