"""Equal launches: those that do the same to different buffers share one function, which is
generated, compiled and shown once.

Two launches are equal if their steps and schedules are, apart from names, the captured operations
that they come from, and the sentences that give reasons.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from compiler_core.ir.graph import Operation, Region
from compiler_core.ir.library import Callee
from compiler_core.ir.sizes import Size, Symbol
from compiler_core.ir.types import DType, TensorType

if TYPE_CHECKING:
    from compiler_core.plan.plan import Launch

# Types whose values are compared as they are, including their names.
_WHOLE = (Callee, DType, Operation, Region, Size, Symbol, TensorType)


@dataclass(frozen=True)
class Form:
    """What a launch does. `key` is equal for equal launches; `names` are its buffers, kernels and
    values, and `origins` those of its parts, both in an order that equal launches share."""

    launch: "Launch"
    key: Hashable
    names: tuple[str, ...]
    origins: tuple[tuple[int, ...], ...]

    @property
    def name(self) -> str:
        return self.launch.step.name


def form(launch: "Launch") -> Form:
    """The form of a launch. One that runs plans of its own is equal to no other."""
    leaves = _Leaves()
    leaves.read(id(launch) if launch.step.plans else (launch.step, launch.schedule))
    numbers = {name: i for i, name in enumerate(leaves.names)}
    key = tuple(("name", numbers[x]) if x in numbers else x for x in leaves.found)
    return Form(launch, key, tuple(leaves.names), tuple(leaves.origins))


class _Leaves:
    """The parts of a value in the order of its fields, those that are called `name` and `origins`
    apart."""

    def __init__(self) -> None:
        self.found: list[Hashable] = []
        self.names: dict[str, None] = {}
        self.origins: list[tuple[int, ...]] = []

    def read(self, x: Any) -> None:
        if isinstance(x, tuple | list):
            self._all(("sequence", len(x)), x)
        elif isinstance(x, Mapping):
            self._all(("mapping", *x), x.values())
        elif is_dataclass(x) and not isinstance(x, _WHOLE):
            self._fields(x)
        else:
            # repr tells 0.0 from -0.0, and the type 1 from True.
            self.found.append((type(x), repr(x)) if isinstance(x, float | bool) else x)

    def _all(self, head: Hashable, parts: Iterable[Any]) -> None:
        self.found.append(head)
        for part in parts:
            self.read(part)

    def _fields(self, x: Any) -> None:
        kind: Any = type(x)
        self.found.append(kind)
        for name in _names(kind):
            value = getattr(x, name)
            if name == "origins":
                self.origins.append(value)
            if name in ("origins", "reason"):  # a reason may have names within a sentence
                continue
            if name == "name":
                self.names.setdefault(value)
            self.read(value)


@cache
def _names(of: type) -> tuple[str, ...]:
    return tuple(f.name for f in fields(of))


def classes(launches: Iterable["Launch"]) -> list[list[Form]]:
    """The launches in classes of equal ones, ordered by the first of each."""
    found: dict[Hashable, list[Form]] = {}
    for each in map(form, launches):
        found.setdefault(each.key, []).append(each)
    return list(found.values())


def first_of_each(launches: Iterable["Launch"]) -> dict[str, str]:
    """The name of the first launch that is equal to each, by its name."""
    alike: dict[Hashable, list[Launch]] = {}
    names = dict[str, str]()
    for each in launches:
        alike.setdefault(_looks(each), []).append(each)
        names[each.step.name] = each.step.name
    for several in alike.values():
        if len(several) > 1:
            names |= {x.name: equal[0].name for equal in classes(several) for x in equal}
    return names


def _looks(launch: "Launch") -> Hashable:
    """What equal launches have in common at first sight: their forms take longer to read."""
    step = launch.step
    return type(step), tuple(b.type for b in (*step.inputs, *step.outputs))


def united(lines: Iterable[tuple[int, ...]], equal: Sequence[Form]) -> tuple[tuple[int, ...], ...]:
    """The origins of each line of the first launch's text, with those of the same line in the texts
    of all equal ones."""
    like: dict[int, set[int]] = {}
    for other in equal[1:]:
        for own, theirs in zip(equal[0].origins, other.origins, strict=True):
            _pair(like, own, theirs)
    return tuple(
        tuple(sorted({*line, *(o for x in line for o in like.get(x, ()))})) for line in lines
    )


def _pair(like: dict[int, set[int]], own: tuple[int, ...], theirs: tuple[int, ...]) -> None:
    """Each with its like by their order; each with all, where these are not as many."""
    if len(own) == len(theirs):
        for a, b in zip(own, theirs, strict=True):
            like.setdefault(a, set()).add(b)
    else:
        for a in own:
            like.setdefault(a, set()).update(theirs)
