"""The toolchains that a run may name: what /api/v1/toolchains answers."""

from collections.abc import Sequence

import msgspec

from webapp.runs.workers import WorkerInfo


class Toolchain(msgspec.Struct, frozen=True):
    """A named environment and its versions; the first, without a name, is the workers' own, which a
    run has that names none."""

    name: str
    versions: dict[str, str]


class Toolchains(msgspec.Struct, frozen=True):
    toolchains: list[Toolchain]


def toolchains(known: Sequence[WorkerInfo]) -> Toolchains:
    """Those of the workers `known`, by name; where several have one, with the first one's
    versions."""
    found: dict[str, dict[str, str]] = {}
    for worker in known:
        for name, versions in {"": worker.toolchain, **worker.toolchains}.items():
            found.setdefault(name, versions)
    return Toolchains([Toolchain(name, found[name]) for name in sorted(found)])
