"""Rewrites a program that is sharded over a mesh as the same program on one device.

Its jaxpr is evaluated with other rules for the primitives that concern devices. A sharding
constraint is the identity. shard_map becomes jax.vmap over each axis of the mesh, with the axis'
name, so that psum and other collectives keep their meaning; its arguments are split into blocks by
`in_specs`, and its results joined by `out_specs`. All other primitives are bound unchanged, with
their own lines of the snippet.
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
# The identity on one device: primitives that place values, and those that change the mesh axes over
# which a value is typed as varying.
_IDENTITIES = frozenset(
    (*PLACING, "pvary", "pcast", "core_pvary", "reduced_vary_cast", "pbroadcast", "copy_to_local")
)


def _psum(x: Any, params: dict[str, Any]) -> Any:
    return jax.lax.psum(x, params["axes"])


def _all_gather(x: Any, params: dict[str, Any]) -> Any:
    """Gathers over several axes one after the other, the last first: the blocks of the first axis
    are then outermost, as they are when all are gathered at once."""
    names, dim, tiled = params["axis_name"], params["all_gather_dimension"], params["tiled"]
    names = names if isinstance(names, tuple) else (names,)
    if not tiled and len(names) > 1:
        x, tiled = jax.lax.expand_dims(x, [dim]), True
    for name in reversed(names):
        x = jax.lax.all_gather(x, name, axis=dim, tiled=tiled)
    return x


# Collectives in terms of those that jax.vmap has rules for.
_COLLECTIVES: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "psum_invariant": _psum,
    "all_gather": _all_gather,
    "all_gather_invariant": _all_gather,
}


def undivided(program: FoundProgram) -> FoundProgram:
    """The program as a function of one device, with its arguments there. Raises what JAX raises
    while it traces the program."""
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
    """Whether a jaxpr has a shard_map, at any depth."""
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
    """An array on several devices, copied to the first; any other value as it is."""
    if not isinstance(leaf, jax.Array) or len(leaf.sharding.device_set) == 1:
        return leaf
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        data = np.asarray(jax.random.key_data(leaf))
        return jax.random.wrap_key_data(data, impl=jax.random.key_impl(leaf))
    return jax.numpy.asarray(np.asarray(leaf))


@dataclass
class Evaluation:
    """Evaluates closed jaxprs on one device. Functions built for inner jaxprs are cached, since JAX
    caches traces by a function's identity."""

    # The equation of the snippet that calls the library function being evaluated, if any: JAX
    # traces such a function once, and its equations keep the lines of its first caller.
    _outer: Any = None
    _functions: dict[int, tuple[Any, Callable[..., Any]]] = field(default_factory=dict)

    def __call__(self, closed: Any, args: Sequence[Any]) -> list[Any]:
        """The results, flat; `args` are the jaxpr's inputs, flat."""
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
        """Calls a library's function that jax.jit compiled as such a function; evaluates any other
        inner jaxpr in place."""
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
        blocks = [split(x, s, sizes) for x, s in zip(args, params["in_specs"], strict=True)]
        inner = _closed(params["jaxpr"])

        def body(*local: Any) -> Any:
            return self(inner, local)

        mapped: Callable[..., Any] = body
        for name, size in reversed(sizes.items()):
            axes = [0 if name in sharded else None for _, sharded in blocks]
            mapped = jax.vmap(mapped, axes, 0, axis_name=name, axis_size=size)
        results = mapped(*(x for x, _ in blocks))
        return [joined(x, s, sizes) for x, s in zip(results, params["out_specs"], strict=True)]

    def _param(self, value: Any) -> Any:
        """A parameter without shardings; jaxprs in it are evaluated and traced again."""
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
    """A parameter's jaxpr as a closed one."""
    return inner if hasattr(inner, "consts") else core.ClosedJaxpr(inner, ())
