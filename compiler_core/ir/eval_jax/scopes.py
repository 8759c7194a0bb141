"""Names of scopes that carry the ids of captured operations through XLA: the evaluator runs each
operation in one, and XLA keeps it in its metadata (op_name="jit(f)/op12_13/tanh")."""

import re
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext

import jax

_SCOPE = re.compile(r"(?:^|/)(?:\w+\()*op(\d+(?:_\d+)*)\)*(?=/|$)")


def scope_of(origins: Iterable[int]) -> AbstractContextManager[object]:
    """A context whose operations are named after these ids; without ids, none."""
    ids = "_".join(map(str, origins))
    return jax.named_scope(f"op{ids}") if ids else nullcontext()


def ids_in(name: str) -> list[int]:
    """The ids in the innermost scope of a name; none where it has no such scope."""
    found = _SCOPE.findall(name)
    return [int(n) for n in found[-1].split("_")] if found else []
