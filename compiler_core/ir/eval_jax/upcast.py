"""One operation of a graph in float64, compiled by XLA: for a loop of many steps, whose thousands
of operations another evaluator would call one by one."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax
from jax import lax

from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir.eval_jax import CONTROL, apply
from compiler_core.ir.eval_jax.values import Array
from compiler_core.ir.evaluate import bodies
from compiler_core.ir.graph import Operation
from compiler_core.ir.types import F64, TensorType

# Operations that depend on the width of a number.
_IN_OWN_TYPES = frozenset({"bitcast_convert", "library_call"})
# Nothing is timed here, and compiling takes longer than running.
_QUICKLY = {"xla_backend_optimization_level": 0, "xla_cpu_use_fusion_emitters": False}


def compiled(operation: Operation) -> Callable[..., list[Any]]:
    """`operation` as a function of its operands; floating-point operands and results are in f64."""
    run = jax.jit(lambda *xs: list(_meaning(operation, *xs)), compiler_options=_QUICKLY)

    def call(*operands: Any) -> list[Any]:
        with jax.enable_x64(True):
            return jax.block_until_ready(run(*operands))

    return call


def _meaning(operation: Operation, *operands: Array) -> Sequence[Array]:
    if operation.op in _IN_OWN_TYPES:
        types = (x.type for x in operation.operands)
        own = (_as(x, t) for x, t in zip(operands, types, strict=True))
        results = apply(operation, *own)
        return [_as(x, _upcast(t)) for x, t in zip(results, operation.types, strict=True)]
    upcast = replace(operation, types=tuple(map(_upcast, operation.types)))
    if operation.regions:
        return CONTROL[operation.op](upcast, bodies(operation, _meaning), *operands)
    return apply(upcast, *operands)


def _upcast(type_: TensorType) -> TensorType:
    return type_.with_dtype(F64) if type_.dtype.is_float else type_


def _as(x: Array, type_: TensorType) -> Array:
    return lax.convert_element_type(x, NUMPY[type_.dtype.name])
