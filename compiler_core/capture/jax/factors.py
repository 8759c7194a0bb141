"""Factorizations of small matrices, and solutions with triangular ones, as programs of JAX's own
operations. On a CPU, JAX calls LAPACK for them; that would be a library call, and a loop with one
in its body is left to JAX as a whole.

Each program goes over the columns in one loop, as unblocked LAPACK does, and updates the whole
matrix under a mask.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

# The most rows and columns of a matrix, however many matrices there are.
SMALL = 16
# The most elements of the operands of a larger one, which a loop over columns then has in the
# first-level cache: beyond, LAPACK's blocks save more than a call of it costs.
ELEMENTS = 96 * 96
_DTYPES = ("float32", "float64")

# Factorizations that choose by comparing values: a NaN is no pivot, and no number is less than it.
FACTORIZATIONS = frozenset({"lu", "cholesky"})

Program = Callable[..., Any]


def program_of(eqn: Any) -> Program | None:
    """The program of an equation that factorizes small matrices or solves with them; None for any
    other."""
    name = eqn.primitive.name
    if name == "lu_pivots_to_permutation":
        return _batched(partial(_permutation, **eqn.params), eqn.invars[0].aval.ndim - 1)
    if name not in _PROGRAMS or not _is_small([v.aval for v in eqn.invars]):
        return None
    return _batched(partial(_PROGRAMS[name], **eqn.params), eqn.invars[0].aval.ndim - 2)


def _is_small(operands: Sequence[Any]) -> bool:
    matrix = operands[0]
    if str(matrix.dtype) not in _DTYPES or not _known(operands):
        return False
    return max(matrix.shape[-2:]) <= SMALL or all(prod(x.shape) <= ELEMENTS for x in operands)


def _known(operands: Sequence[Any]) -> bool:
    """Whether all sizes are numbers, and none is 0."""
    return all(isinstance(n, int) and n > 0 for x in operands for n in x.shape)


def _batched(program: Program, dimensions: int) -> Program:
    for _ in range(dimensions):
        program = jax.vmap(program)
    return program


def _lu(a: Any) -> tuple[Any, Any, Any]:
    """Both factors in one matrix, the row that each was swapped with, and where each row was."""
    rows, columns = jnp.arange(a.shape[0])[:, None], jnp.arange(a.shape[1])
    count = min(a.shape)

    def step(k: Any, state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        a, pivots, order = state
        column = _at(a, k, 1)
        size = jnp.where(rows[:, 0] >= k, jnp.abs(column), -1)
        place = jnp.argmax(size).astype(jnp.int32)
        upper = _at(a, place, 0)
        a = _swapped(a, rows, k, place)
        pivot, column = _at(upper, k, 0), _at(a, k, 1)
        lower = jnp.where(pivot == 0, column, column / pivot)[:, None]
        less = jnp.where(columns == k, lower, a - lower * upper)
        a = jnp.where((rows > k) & (columns >= k), less, a)
        pivots = jnp.where(jnp.arange(count) == k, place, pivots)
        return a, pivots, _swapped(order, rows[:, 0], k, place)

    start = a, jnp.zeros(count, jnp.int32), jnp.arange(a.shape[0], dtype=jnp.int32)
    return lax.fori_loop(0, count, step, start)


def _permutation(swaps: Any, *, permutation_size: int) -> Any:
    places = jnp.arange(permutation_size, dtype=jnp.int32)

    def step(k: Any, order: Any) -> Any:
        return _swapped(order, places, k, _at(swaps, k, 0))

    return lax.fori_loop(0, swaps.shape[0], step, places)


def _cholesky(a: Any) -> Any:
    """The lower factor; NaN where the matrix is not positive definite. JAX's LAPACK ends at a pivot
    of zero or less, which a NaN is not: it goes as far as arithmetic takes it."""
    places = jnp.arange(a.shape[0])
    rows, columns = places[:, None], places

    def step(k: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        a, ends = state
        column = _at(a, k, 1)
        pivot = _at(column, k, 0)
        root = jnp.sqrt(pivot)
        lower = jnp.where(places == k, root, column / root)
        less = jnp.where(columns == k, lower[:, None], a - lower[:, None] * lower)
        return jnp.where((columns >= k) & (rows >= columns), less, a), ends | (pivot <= 0)

    factor, ends = lax.fori_loop(0, a.shape[0], step, (a, jnp.array(False)))
    return jnp.where(ends, jnp.nan, jnp.tril(factor))


def _solved(
    a: Any, b: Any, *, left_side: bool, lower: bool, transpose_a: bool, unit_diagonal: bool,
    conjugate_a: bool = False,
) -> Any:  # fmt: skip
    """x of a x = b; of x a = b, which is a^T x^T = b^T."""
    if not left_side:
        turned = partial(_solved, left_side=True, lower=lower, unit_diagonal=unit_diagonal)
        return turned(a, b.T, transpose_a=not transpose_a).T
    if transpose_a:
        a, lower = a.T, not lower
    last, rows = a.shape[0] - 1, jnp.arange(a.shape[0])[:, None]

    def step(i: Any, x: Any) -> Any:
        k = i if lower else last - i
        column = _at(a, k, 1)[:, None]
        row = _at(x, k, 0) if unit_diagonal else _at(x, k, 0) / _at(column, k, 0)
        left = jnp.where(rows > k if lower else rows < k, x - column * row, x)
        return jnp.where(rows == k, row, left)

    return lax.fori_loop(0, a.shape[0], step, b)


def _at(x: Any, k: Any, axis: int) -> Any:
    return lax.dynamic_index_in_dim(x, k, axis, keepdims=False)


def _swapped(x: Any, rows: Any, k: Any, place: Any) -> Any:
    """Rows `k` and `place` of x changed for each other."""
    return jnp.where(rows == k, _at(x, place, 0), jnp.where(rows == place, _at(x, k, 0), x))


_PROGRAMS: dict[str, Program] = {
    "lu": _lu,
    "cholesky": _cholesky,
    "triangular_solve": _solved,
}
