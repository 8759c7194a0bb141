"""What decides whether JAX has traced a call before: the types of its arrays, the values of its
static arguments, and the structure of its containers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import jax

from compiler_core.capture.jax.capture import leaf_names
from compiler_core.capture.jax.statics import Statics
from compiler_core.reference.jax.arguments import fixed
from compiler_core.snippet.program import FoundProgram

# By the kind of a difference: why JAX traces for it, and what to do.
_WHY = {
    "shape": (
        "JAX compiles a program for one shape of every argument",
        "pad to one of a few sizes, or map over the axis that varies (jax.lax.map, jax.vmap)",
    ),
    "type": (
        "JAX compiles a program for one element type of every argument",
        "convert before the call: jnp.asarray(x, dtype=...)",
    ),
    "weak": (
        "a Python number is weakly typed, and an array of the same element type is not",
        "pass it the same way each time: as jnp.float32(...), or always as a Python number",
    ),
    "number": (
        "a whole number of Python and one with a point are of two element types",
        "write it the same way each time: 2.0, and not 2",
    ),
    "static": (
        "the value of a static argument is part of what is compiled",
        "pass it as a traced argument, unless it has few values, is no number, or decides a shape "
        "or which way Python goes",
    ),
    "structure": (
        "JAX compiles a program for one structure of lists, tuples and dicts, and for arguments "
        "given by place or by name",
        "give the same arguments in the same containers each time",
    ),
}


@dataclass(frozen=True)
class Signature:
    """`arrays` are the leaves by name: shape, element type, and whether it is weakly typed.
    `statics` are values as text."""

    structure: str
    arrays: Mapping[str, tuple[tuple[Any, ...], str, bool]]
    statics: Mapping[str, str]

    @classmethod
    def of(cls, program: FoundProgram, args: Any, kwargs: Any) -> "Signature":
        """The signature of a call with these arguments."""
        called = replace(program, args=tuple(args), kwargs=dict(kwargs))
        statics = Statics(called)
        leaves, tree = jax.tree.flatten((statics.args, statics.kwargs))
        types = [jax.typeof(leaf) for leaf in leaves]
        return cls(
            str(tree),
            {
                name: (tuple(t.shape), _dtype(t), bool(getattr(t, "weak_type", False)))
                for name, t in zip(leaf_names(called, statics), types, strict=True)
            },
            {name: f"{value!r:.60}" for name, value in fixed(statics)},
        )

    def differences(self, before: "Signature") -> list["Difference"]:
        """How it differs from the signature of an earlier call."""
        if self.structure != before.structure or self.arrays.keys() != before.arrays.keys():
            return [Difference("structure", f"{_names(self)}, was {_names(before)}")]
        found = [
            Difference(_kind(now, was), f"{name} is {_type(now)}, was {_type(was)}")
            for name, now in self.arrays.items()
            if now != (was := before.arrays[name])
        ]
        found += [
            Difference("static", f"{name} is {now}, was {before.statics.get(name, 'not given')}")
            for name, now in self.statics.items()
            if now != before.statics.get(name)
        ]
        return found


@dataclass(frozen=True)
class Difference:
    """One difference: its kind, and a text."""

    kind: str
    text: str

    @property
    def why(self) -> str:
        """Why JAX traces for it."""
        return _WHY[self.kind][0]

    @property
    def remedy(self) -> str:
        """What to do."""
        return _WHY[self.kind][1]


def _dtype(type_: Any) -> str:
    """f32, as JAX writes it."""
    return str(type_.str_short(short_dtypes=True)).split("[")[0]


def _kind(now: tuple[Any, str, bool], was: tuple[Any, str, bool]) -> str:
    both = now[2] and was[2]
    differing = (
        (now[0] != was[0], "shape"),
        (now[1] != was[1], "number" if both else "type"),
        (True, "weak"),
    )
    return next(kind for is_so, kind in differing if is_so)


def _type(leaf: tuple[tuple[Any, ...], str, bool]) -> str:
    shape, dtype, weak = leaf
    return f"{dtype}[{','.join(map(str, shape))}]{' (a Python number)' if weak else ''}"


def _names(signature: Signature) -> str:
    return f"({', '.join(signature.arrays)})"
