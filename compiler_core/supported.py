"""The versions of Python and of the frameworks for which the compiler is written. Its uses of their
private parts are in files called `private`; other versions may lack these."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Range:
    """Versions from `first` on and below `after`, each given by its leading numbers."""

    first: tuple[int, ...]
    after: tuple[int, ...]

    def __contains__(self, version: str) -> bool:
        parts = numbers(version)
        return self.first <= parts < self.after

    def __str__(self) -> str:
        *major, last = self.after
        return f"{_text(self.first)} to {_text((*major, last - 1))}"


RANGES: dict[str, Range] = {
    "python": Range((3, 11), (3, 14)),
    "torch": Range((2, 11), (2, 14)),
    "triton": Range((3, 6), (3, 8)),
    "jax": Range((0, 9, 2), (0, 12)),
    "jaxlib": Range((0, 9, 2), (0, 12)),
}


def numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: (2, 13, 0) of "2.13.0+cpu"."""
    found = []
    for part in version.partition("+")[0].split("."):
        if not part.isdigit():
            break
        found.append(int(part))
    return tuple(found)


def out_of_range(toolchain: Mapping[str, str]) -> list[str]:
    """A sentence for each installed version for which the compiler was not written."""
    return [
        f"{name} {toolchain[name]} is outside of what Fuselab is written for, {range_}: what fails "
        f"may be for that reason; install one of these, or make a toolchain"
        for name, range_ in RANGES.items()
        if numbers(toolchain.get(name, "")) and toolchain[name] not in range_
    ]


def _text(parts: tuple[int, ...]) -> str:
    return ".".join(map(str, parts))
