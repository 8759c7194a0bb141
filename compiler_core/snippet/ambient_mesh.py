"""The mesh that a snippet has set for what it calls, by `jax.set_mesh(mesh)` or by `with mesh:`."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from compiler_core.snippet.private import meshes_now


@dataclass(frozen=True)
class Ambient:
    """A mesh in force, and whether `with mesh:` set it, which is JAX's older way."""

    mesh: Any
    is_older: bool = False


def ambient_now() -> Ambient | None:
    """The mesh that is in force; None if there is none."""
    if "jax" not in sys.modules:
        return None
    found = (
        Ambient(mesh, is_older) for mesh, is_older in zip(meshes_now(), (False, True), strict=True)
    )
    return next((each for each in found if not each.mesh.empty), None)


@contextmanager
def contained() -> Iterator[None]:
    """Context after which the earlier mesh is in force again: a snippet may set one for good, and
    what runs afterwards on one device would be divided among the mesh's devices."""
    before = ambient_now()
    try:
        yield
    finally:
        if ambient_now() != before:
            import jax

            jax.set_mesh(None if before is None else before.mesh)


@contextmanager
def under_mesh(ambient: Ambient | None) -> Iterator[None]:
    """Context in which the mesh is in force again; to be entered outside of all traces."""
    if ambient is None:
        yield
        return
    import jax

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context = ambient.mesh if ambient.is_older else jax.set_mesh(ambient.mesh)
        with context:
            yield
