"""Steps without operands: constants and index ramps."""

from compiler_core.ir.types import BOOL, TensorType
from conformance.graphs.growing import Growing, Known, Unfit
from conformance.graphs.table import FLOATS, INTEGERS, NUMBERS, Step


def _constant(g: Growing) -> Known:
    dtype = g.rng.choice((*NUMBERS, BOOL))
    value = g.number(dtype)
    return g.add("constant", type=TensorType(dtype, g.shape()), value=value)[0]


def _iota(g: Growing) -> Known:
    shape = g.shape(1)
    type_ = TensorType(g.rng.choice((*INTEGERS, *FLOATS)), shape)
    return g.add("iota", type=type_, dimension=g.below(len(shape)))[0]


def _parameter(g: Growing) -> Known:
    if g.inputs is None:
        raise Unfit("a region's arguments are its own")
    return g.leaf(TensorType(g.rng.choice((*NUMBERS, BOOL)), g.shape()))


STEPS: dict[str, Step] = {"parameter": _parameter, "constant": _constant, "iota": _iota}
