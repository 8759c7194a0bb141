"""A program that is divided among the devices of a mesh, as the same program of one device.

Its jaxpr is evaluated with other rules for what speaks of devices: a sharding constraint is the
value itself; shard_map is a map over each axis of the mesh (jax.vmap with the axis' name, so that
psum and its kin are what they were), on blocks cut as `in_specs` say and put together as
`out_specs` do. All else is bound as it stands, at its own place in the snippet.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import update_wrapper
from typing import Any

import jax
import numpy as np
from jax.extend import core

from compiler_core.capture.jax.blocks import joined, split
from compiler_core.capture.jax.calls import CALLS
from compiler_core.capture.jax.identities import PLACING
from compiler_core.capture.jax.private import at_place
from compiler_core.capture.jax.statics import Statics
from compiler_core.snippet.ambient_mesh import under_mesh
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.source import is_own

_DIVISION = "shard_map"
# On one device, the value. Beside what places values: on which axes of a mesh they differ.
_IDENTITIES = frozenset(
    (*PLACING, "pvary", "pcast", "core_pvary", "reduced_vary_cast", "pbroadcast", "copy_to_local")
)


def _psum(x: Any, params: dict[str, Any]) -> Any:
    return jax.lax.psum(x, params["axes"])


def _all_gather(x: Any, params: dict[str, Any]) -> Any:
    """Over several axes one after the other, from the last: the first one's blocks are then the
    outermost, as of one gathering over all of them."""
    names, dim, tiled = params["axis_name"], params["all_gather_dimension"], params["tiled"]
    names = names if isinstance(names, tuple) else (names,)
    if not tiled and len(names) > 1:
        x, tiled = jax.lax.expand_dims(x, [dim]), True
    for name in reversed(names):
        x = jax.lax.all_gather(x, name, axis=dim, tiled=tiled)
    return x


# Collectives as those that jax.vmap knows.
_COLLECTIVES: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "psum_invariant": _psum,
    "all_gather": _all_gather,
    "all_gather_invariant": _all_gather,
}


def undivided(program: FoundProgram) -> FoundProgram:
    """The program with its arguments on one device. Raises what JAX raises while it traces it."""
    statics = Statics(program)
    with under_mesh(program.mesh):
        closed, shapes = jax.make_jaxpr(statics, return_shape=True)(*statics.args, **statics.kwargs)
    run, tree = Evaluation(), jax.tree.structure(shapes)

    def fn(*args: Any, **kwargs: Any) -> Any:
        free = tuple(x for i, x in enumerate(args) if i not in statics.fixed)
        named = {k: v for k, v in kwargs.items() if k in statics.kwargs}
        flat = [jax.numpy.asarray(x) for x in jax.tree.leaves((free, named))]
        return jax.tree.unflatten(tree, run(closed, flat))

    args, kwargs = jax.tree.map(_on_one, (program.args, dict(program.kwargs)))
    return replace(program, fn=update_wrapper(fn, program.fn), args=args, kwargs=kwargs, mesh=None)


def is_divided(inner: Any) -> bool:
    """Whether a jaxpr says what each device does."""
    jaxpr = getattr(inner, "jaxpr", inner)
    return any(
        eqn.primitive.name == _DIVISION or any(map(is_divided, _inner(eqn))) for eqn in jaxpr.eqns
    )


def _inner(eqn: Any) -> Iterator[Any]:
    """The jaxprs among an equation's parameters."""
    for value in eqn.params.values():
        several = value if isinstance(value, tuple) else (value,)
        yield from (x for x in several if hasattr(x, "jaxpr") or hasattr(x, "eqns"))


def _on_one(leaf: Any) -> Any:
    """An array as one that is nowhere in particular: JAX takes it to the first device."""
    if not isinstance(leaf, jax.Array) or len(leaf.sharding.device_set) == 1:
        return leaf
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        data = np.asarray(jax.random.key_data(leaf))
        return jax.random.wrap_key_data(data, impl=jax.random.key_impl(leaf))
    return jax.numpy.asarray(np.asarray(leaf))


@dataclass
class Evaluation:
    """Evaluates closed jaxprs on one device; what it made of inner ones is kept, for JAX knows a
    function by its identity."""

    # The equation that calls what is being run, where that is a library's: JAX traces such a
    # function once, and its equations keep the lines of whoever called it first.
    _outer: Any = None
    _functions: dict[int, tuple[Any, Callable[..., Any]]] = field(default_factory=dict)

    def __call__(self, closed: Any, args: Sequence[Any]) -> list[Any]:
        """The flat results."""
        jaxpr = closed.jaxpr
        env = dict(zip(jaxpr.constvars, map(_on_one, closed.consts), strict=True))
        env.update(zip(jaxpr.invars, args, strict=True))

        def read(atom: Any) -> Any:
            return atom.val if isinstance(atom, core.Literal) else env[atom]

        for eqn in jaxpr.eqns:
            with at_place(self._outer or eqn):
                results = self._equation(eqn, [read(atom) for atom in eqn.invars])
            env.update(zip(eqn.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _equation(self, eqn: Any, args: list[Any]) -> Sequence[Any]:
        name, params = eqn.primitive.name, eqn.params
        if name in _IDENTITIES:
            return args
        if name in _COLLECTIVES:
            return [_COLLECTIVES[name](x, params) for x in args]
        if name == _DIVISION:
            return self._shard_map(params, args)
        if name in CALLS:
            return self._call(eqn, params[CALLS[name]], args)
        params = {key: self._param(value) for key, value in params.items()}
        result = eqn.primitive.bind(*args, **params)
        return result if eqn.primitive.multiple_results else [result]

    def _call(self, eqn: Any, inner: Any, args: list[Any]) -> Sequence[Any]:
        """A function that jax.jit made in a library stays one; others are run in place."""
        closed = _closed(inner)
        info = closed.jaxpr.debug_info
        is_library = not is_own(str(getattr(info, "func_filename", None)))
        if is_library and eqn.primitive.name in ("jit", "pjit"):
            results: Sequence[Any] = self._function(closed, info)(*args)
            return results
        before = self._outer
        self._outer = (before or eqn) if is_library else before
        try:
            return self(closed, args)
        finally:
            self._outer = before

    def _function(self, closed: Any, info: Any) -> Callable[..., Any]:
        known = self._functions.get(id(closed.jaxpr))
        if known is None:

            def function(*args: Any) -> list[Any]:
                return self(closed, args)

            function.__name__ = str(getattr(info, "func_name", "")) or "function"
            known = self._functions[id(closed.jaxpr)] = (closed, jax.jit(function))
        return known[1]

    def _shard_map(self, params: dict[str, Any], args: list[Any]) -> Sequence[Any]:
        mesh = params["mesh"]
        manual = params.get("newly_manual_axes", params.get("manual_axes", mesh.axis_names))
        sizes = {name: size for name, size in mesh.shape.items() if name in manual}
        given = [split(x, s, sizes) for x, s in zip(args, params["in_specs"], strict=True)]
        inner = _closed(params["jaxpr"])

        def body(*blocks: Any) -> Any:
            return self(inner, blocks)

        mapped: Callable[..., Any] = body
        for name, size in reversed(sizes.items()):
            axes = [0 if name in held else None for _, held in given]
            mapped = jax.vmap(mapped, axes, 0, axis_name=name, axis_size=size)
        results = mapped(*(x for x, _ in given))
        return [joined(x, s, sizes) for x, s in zip(results, params["out_specs"], strict=True)]

    def _param(self, value: Any) -> Any:
        """A parameter without what says where values are; the programs in it are traced anew."""
        if isinstance(value, jax.sharding.Sharding):
            return None
        if isinstance(value, core.ClosedJaxpr):
            avals = [
                jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type)
                for a in value.in_avals
            ]
            return jax.make_jaxpr(lambda *args: self(value, args))(*avals)
        if type(value) is tuple and any(isinstance(x, core.ClosedJaxpr) for x in value):
            return tuple(map(self._param, value))
        return value


def _closed(inner: Any) -> Any:
    """The closed jaxpr that a parameter is, or that has no constants."""
    return inner if hasattr(inner, "consts") else core.ClosedJaxpr(inner, ())
