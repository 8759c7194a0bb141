"""The toolchains that a run may name, and the extras that are installed: the answer of
/api/v1/toolchains."""

from collections.abc import Sequence

import msgspec

from webapp.runs.workers import WorkerInfo


class Toolchain(msgspec.Struct, frozen=True):
    """A named environment and its versions. The first, without a name, is the workers' own, for
    runs that name none."""

    name: str
    versions: dict[str, str]


class Toolchains(msgspec.Struct, frozen=True):
    """All toolchains; and the names of the environments of further compilers, of whichever worker
    has them."""

    toolchains: list[Toolchain]
    extras: list[str]


def toolchains(known: Sequence[WorkerInfo]) -> Toolchains:
    """The toolchains of the workers `known`, by name; if several workers have one, with the
    versions of the first."""
    found: dict[str, dict[str, str]] = {}
    for worker in known:
        for name, versions in {"": worker.toolchain, **worker.toolchains}.items():
            found.setdefault(name, versions)
    extras = sorted({name for worker in known for name in worker.extras})
    return Toolchains([Toolchain(name, found[name]) for name in sorted(found)], extras)
