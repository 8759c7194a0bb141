"""A JAX program run in float64, whichever types it names: the reference of numerical errors.

The program is traced in its own types, and each equation of the jaxpr bound by JAX itself, in
float64: run with float64 arguments instead, a program would draw other random numbers, and stop
where it names a type. 64-bit types are allowed inside `evaluate` only, in this thread only.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import jax
import numpy as np
from jax.extend import core

from compiler_core.capture.jax.calls import CALLS
from compiler_core.capture.jax.traces import Traces
from compiler_core.capture.jax.within import jaxprs_within
from compiler_core.interop.packed import compared

_UPCAST = {
    "float16": "float64", "bfloat16": "float64", "float32": "float64", "complex64": "complex128",
}  # fmt: skip
# Primitives computed in their own types: the result depends on the width of a number, or the types
# are fixed.
_IN_OWN_TYPES = frozenset(
    {"bitcast_convert_type", "nextafter", "pure_callback", "io_callback", "ffi_call"}
)
# Primitives that only round.
_ROUNDING = frozenset({"reduce_precision"})
# Nothing is timed here, and compiling takes longer than running: a quarter of it with these.
# Of many elements it is running: drawing numbers takes five times as long under them, and loops
# within loops, of windows, twenty times (measured on a CPU).
_QUICKLY = {
    "xla_backend_optimization_level": 0,
    "xla_cpu_use_fusion_emitters": False,
    "xla_cpu_parallel_codegen_split_count": 1,
}
# Kernels of a library, which jaxlib 0.10 takes for reductions, lose NaN in a maximum. JAX says that
# it passes them on, as XLA's own code does.
_OWN_CODE = {"xla_cpu_experimental_ynn_fusion_type": ""}
_WINDOWS = ("conv_general", "reduce_window", "select_and_", "cum")
_MANY = 1 << 20
# With at most so many elements, all results are kept at no cost.
_FEW = 1 << 20


class InFloat64:
    """A program with every floating-point operation in float64. XLA compiles it once for arguments
    of the same types: it is asked for again with other numbers, and of small programs for the
    results of every equation as well."""

    def __init__(self, traces: Traces) -> None:
        self._traces = traces
        self._compiled: dict[tuple[int, bool], Callable[..., Any]] = {}

    def __call__(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """The leaves of the result; those of types that the core does not have as
        interop/packed.py has them."""
        return list(self._ran(args, kwargs, each=False)[0])

    def each_equation(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[list[Any]]:
        """The results of every equation that the program or what it calls consists of, in order,
        those within loops and branches left out."""
        return list(self._ran(args, kwargs, each=True)[1])

    def _ran(
        self, args: Sequence[Any], kwargs: dict[str, Any], each: bool
    ) -> tuple[list[Any], list[list[Any]]]:
        closed = self._traces.of(args, kwargs).closed
        whole = each or _elements(closed.jaxpr) <= _FEW
        key = id(closed), whole
        if key not in self._compiled:
            self._compiled[key] = _compiled(closed.jaxpr, whole)
        given = [jax.numpy.asarray(x) for x in jax.tree.leaves((tuple(args), kwargs))]
        with jax.enable_x64(True):
            ran: tuple[list[Any], list[list[Any]]]
            ran = jax.block_until_ready(self._compiled[key](closed.consts, given))
            return ran


def evaluate(fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
    """Calls `fn` once in float64: InFloat64 without keeping what it compiled."""
    return InFloat64(Traces(fn))(args, kwargs)


def _elements(jaxpr: Any) -> int:
    """Those of all results that each_equation returns."""
    own = sum(getattr(v.aval, "size", 0) for eqn in jaxpr.eqns for v in eqn.outvars)
    called = (eqn.params[CALLS[n]] for eqn in jaxpr.eqns if (n := eqn.primitive.name) in CALLS)
    return own + sum(_elements(getattr(inner, "jaxpr", inner)) for inner in called)


def _jitted(fn: Callable[..., Any], jaxpr: Any) -> Callable[..., Any]:
    """jax.jit of what runs `jaxpr`, quickly compiled unless it runs long; with fewer options where
    XLA has no code for a program then, such as the clamp of truths, or its version lacks one."""
    ways = [_OWN_CODE | _QUICKLY, _QUICKLY, _OWN_CODE, {}]
    tried = [jax.jit(fn, compiler_options=way) for way in ways[2 * _runs_long(jaxpr) :]]

    def run(*given: Any) -> Any:
        for way in tried[:-1]:
            with suppress(jax.errors.JaxRuntimeError):
                return way(*given)
        return tried[-1](*given)

    return run


def _runs_long(jaxpr: Any) -> bool:
    inner = (p for eqn in jaxpr.eqns for p in jaxprs_within(eqn))
    return any(map(_is_long, jaxpr.eqns)) or any(map(_runs_long, inner))


def _is_long(eqn: Any) -> bool:
    elements = max((getattr(v.aval, "size", 0) for v in eqn.outvars), default=0)
    return elements > _MANY or eqn.primitive.name.startswith(_WINDOWS)


def _compiled(jaxpr: Any, each: bool) -> Callable[..., Any]:
    """The results of a program, and of each of its equations if these are asked for."""

    def exact(consts: Sequence[Any], given: Sequence[Any]) -> tuple[list[Any], list[list[Any]]]:
        found: list[list[Any]] | None = [] if each else None
        results = packed(_run(jaxpr, consts, [*map(_upcast, given)], found))
        return results, [packed(x) for x in found or ()]

    return _jitted(exact, jaxpr)


def packed(values: Sequence[Any]) -> list[Any]:
    """The values, those of types that the core does not have in the form in which they are compared
    (interop/packed.py)."""
    return [*map(compared, values)]


def _run(
    jaxpr: Any, consts: Sequence[Any], args: Sequence[Any], each: list[list[Any]] | None = None
) -> list[Any]:
    """The results; those of each equation are appended to `each`."""
    env = dict(zip(jaxpr.constvars, map(_upcast, consts), strict=True))
    env.update(zip(jaxpr.invars, args, strict=True))

    def read(atom: Any) -> Any:
        return _literal(atom) if isinstance(atom, core.Literal) else env[atom]

    for eqn in jaxpr.eqns:
        results = _equation(eqn, [*map(read, eqn.invars)], each)
        env.update(zip(eqn.outvars, results, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def _equation(eqn: Any, operands: list[Any], each: list[list[Any]] | None) -> Sequence[Any]:
    name = eqn.primitive.name
    if name in CALLS:
        inner = eqn.params[CALLS[name]]
        return _run(getattr(inner, "jaxpr", inner), getattr(inner, "consts", ()), operands, each)
    results = _computed(eqn, operands)
    if each is not None and eqn.outvars:
        each.append([*results])
    return results


def _computed(eqn: Any, operands: list[Any]) -> Sequence[Any]:
    name = eqn.primitive.name
    if name in _ROUNDING:
        return operands
    params = eqn.params
    if name in _IN_OWN_TYPES or _draws_until(eqn):
        operands = [_as(x, atom.aval) for x, atom in zip(operands, eqn.invars, strict=True)]
    else:
        params = {key: _in_float64(value) for key, value in params.items()}
    results = eqn.primitive.bind(*operands, **params)
    return [_upcast(x) for x in (results if eqn.primitive.multiple_results else [results])]


def _draws_until(eqn: Any) -> bool:
    """Whether numbers are drawn, and further ones until a value says so: in float64 a value that
    rounding decides about would say another thing, and other numbers be drawn from there on."""
    name = eqn.primitive.name
    if name == "while":
        return any(_draws(eqn.params[part].jaxpr) for part in ("cond_jaxpr", "body_jaxpr"))
    return name not in _BRANCHES and _has_key(eqn) and any(map(_is_float, eqn.invars))


# Primitives that run jaxprs, whose equations are checked one by one instead.
_BRANCHES = frozenset({"scan", "cond"})


def _draws(jaxpr: Any) -> bool:
    inner = (p for eqn in jaxpr.eqns for p in jaxprs_within(eqn))
    return any(map(_has_key, jaxpr.eqns)) or any(map(_draws, inner))


def _has_key(eqn: Any) -> bool:
    return any(jax.dtypes.issubdtype(v.aval.dtype, jax.dtypes.prng_key) for v in eqn.invars)


def _is_float(atom: Any) -> bool:
    return _UPCAST.get(str(atom.aval.dtype)) is not None


def _in_float64(param: Any) -> Any:
    """An equation's parameter: a type, a program, or what has some in it."""
    if isinstance(param, core.ClosedJaxpr):
        return _traced(param.jaxpr, param.consts)
    if isinstance(param, core.Jaxpr):
        return _traced(param, ()).jaxpr
    if isinstance(param, tuple) and not hasattr(param, "_fields"):
        return tuple(map(_in_float64, param))
    if isinstance(param, tuple) and any(isinstance(x, core.ClosedJaxpr) for x in param):
        return type(param)(*map(_in_float64, param))
    other = _UPCAST.get(str(param)) if isinstance(param, np.dtype | type) else None
    return np.dtype(other) if other else param


def _traced(jaxpr: Any, consts: Sequence[Any]) -> Any:
    """The same program over float64 values."""
    given = [_struct(v.aval) for v in jaxpr.invars]
    return jax.make_jaxpr(lambda *args: _run(jaxpr, consts, args))(*given)


def _struct(aval: Any) -> Any:
    dtype = _UPCAST.get(str(aval.dtype))
    weak = getattr(aval, "weak_type", False)
    return jax.ShapeDtypeStruct(
        aval.shape, np.dtype(dtype) if dtype else aval.dtype, weak_type=weak
    )


def _literal(atom: Any) -> Any:
    """A number of Python would have 64 bits here."""
    return _upcast(np.asarray(atom.val, atom.aval.dtype))


def _upcast(x: Any) -> Any:
    """A value, with floating-point numbers in float64."""
    dtype = _UPCAST.get(str(getattr(x, "dtype", "")))
    return x if dtype is None else jax.lax.convert_element_type(x, np.dtype(dtype))


def _as(x: Any, aval: Any) -> Any:
    """A value in the type that it has in the program."""
    return jax.lax.convert_element_type(x, aval.dtype) if _UPCAST.get(str(aval.dtype)) else x
