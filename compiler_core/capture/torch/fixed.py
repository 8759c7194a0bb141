"""Sizes that could be symbolic, but of which a program needs the numbers."""

from collections.abc import Mapping, Sequence, Set

from compiler_core.ir.sizes import Undecided


class Fixed(Undecided):
    """The program compares sizes, by name, with numbers that they equal in the captured call: a
    linear layer, for example, asks whether its input has as many columns as its weight. From the
    sizes in `computed` it computes a number that is not a size, such as a square root."""

    def __init__(
        self, sizes: Mapping[str, int], computed: Mapping[str, int], line: int | None = None
    ) -> None:
        self.names = frozenset((*sizes, *computed))
        of = ((sizes, "the program asks whether it is"), (computed, _COMPUTED))
        said = (f"{always(each)}: {why}" for each, why in of if each)
        super().__init__("; ".join(said), line=line)


_COMPUTED = "the program computes a number from it that is no size"


def always(sizes: Mapping[str, int]) -> str:
    """The clause that says that these sizes always have these numbers."""
    return ", ".join(f"{name} is always {number}" for name, number in sizes.items())


def without(names: Sequence[Sequence[str]], fixed: Set[str]) -> tuple[tuple[str, ...], ...]:
    """The names of sizes, with "" in place of those in `fixed`; () if none is left."""
    left = tuple(tuple("" if n in fixed else n for n in own) for own in names)
    return left if any(map(any, left)) else ()
