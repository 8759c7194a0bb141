"""Loops and branches in numpy, interpreted on the host."""

from collections.abc import Sequence

import numpy as np

from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir.control import RULES, Body, Host
from compiler_core.ir.eval_numpy.values import Array
from compiler_core.ir.graph import Operation
from compiler_core.ir.types import TensorType


def _stack(rows: Sequence[Array], type_: TensorType) -> Array:
    return np.array(rows, NUMPY[type_.dtype.name]).reshape(type_.shape)


_HOST: Host[Array] = Host(bool, int, lambda x, i: x[i], _stack)


def control(
    operation: Operation, bodies: Sequence[Body[Array]], operands: Sequence[Array]
) -> Sequence[Array]:
    """The values of the operation's results."""
    return RULES[operation.op](_HOST, operation, bodies, operands)
