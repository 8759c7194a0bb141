"""Programs whose sizes are symbols, and what they are at the sizes of one call: by numpy."""

import numpy as np

from compiler_core.ir import eval_numpy
from compiler_core.ir.parse import parse
from compiler_core.ir.sizes import Dim, evaluate
from compiler_core.ir.substitute import substitute, symbols_of

# By what they show.
PROGRAMS = {
    "one loop": """\
graph f[B = 32 in 2..](%0: f32[B,48]) {
  %1 = tanh(%0) : f32[B,48]
  return %1
}
""",
    "bias and tanh": """\
graph f[B = 32 in 2..](%0: f32[B,48], %1: f32[48]) {
  %2 = broadcast_in_dim(%1) {dimensions = (1)} : f32[B,48]
  %3 = add(%0, %2) : f32[B,48]
  %4 = tanh(%3) : f32[B,48]
  return %4
}
""",
    "a border whose rows are of the symbol": """\
graph f[T = 32 in 2..](%0: f32[6,T]) {
  %1 = constant() {value = 2.0} : f32[]
  %2 = pad(%0, %1) {low = (1, 1), high = (0, 0), interior = (0, 0)} : f32[7,T + 1]
  return %2
}
""",
    "softmax over rows": """\
graph f[B = 64 in 2..](%0: f32[B,100]) {
  %1 = reduce(%0) {monoid = maximum, dimensions = (1)} : f32[B]
  %2 = broadcast_in_dim(%1) {dimensions = (0)} : f32[B,100]
  %3 = subtract(%0, %2) : f32[B,100]
  %4 = exponential(%3) : f32[B,100]
  %5 = reduce(%4) {monoid = add, dimensions = (1)} : f32[B]
  %6 = broadcast_in_dim(%5) {dimensions = (0)} : f32[B,100]
  %7 = divide(%4, %6) : f32[B,100]
  return %7
}
""",
    "softmax over rows whose length is the symbol": """\
graph f[T = 64 in 2..](%0: f32[12,T]) {
  %1 = reduce(%0) {monoid = maximum, dimensions = (1)} : f32[12]
  %2 = broadcast_in_dim(%1) {dimensions = (0)} : f32[12,T]
  %3 = subtract(%0, %2) : f32[12,T]
  %4 = exponential(%3) : f32[12,T]
  %5 = reduce(%4) {monoid = add, dimensions = (1)} : f32[12]
  %6 = broadcast_in_dim(%5) {dimensions = (0)} : f32[12,T]
  %7 = divide(%4, %6) : f32[12,T]
  return %7
}
""",
    "sum over the batch": """\
graph f[B = 32 in 2..](%0: f32[B,80]) {
  %1 = reduce(%0) {monoid = add, dimensions = (0)} : f32[80]
  return %1
}
""",
    "sum over all": """\
graph f[B = 4096 in 2..](%0: f32[B,80]) {
  %1 = reduce(%0) {monoid = add, dimensions = (0, 1)} : f32[]
  return %1
}
""",
    "largest with its index": """\
graph f[B = 32 in 2..](%0: f32[B,80]) {
  %1 = iota() {dimension = 0} : i64[B,80]
  %2, %3 = reduce(%0, %1) {monoid = argmax, dimensions = (0)} : f32[80], i64[80]
  return %3
}
""",
    "running sum and largest, its index in 32 bits": """\
graph f[B = 32 in 2..](%0: f32[B,80]) {
  %1 = iota() {dimension = 0} : i32[B,80]
  %2, %3 = reduce(%0, %1) {monoid = argmax, dimensions = (0)} : f32[80], i32[80]
  %4 = cumulative(%0) {monoid = add, dimension = 0, reverse = false} : f32[B,80]
  return %3, %4
}
""",
    "running largest of bytes": """\
graph f[B = 32 in 2..](%0: f32[B,80]) {
  %1 = convert(%0) : i8[B,80]
  %2 = cumulative(%1) {monoid = maximum, dimension = 0, reverse = false} : i8[B,80]
  return %2
}
""",
    "running sum along the symbol": """\
graph f[T = 64 in 2..](%0: f32[5,T]) {
  %1 = cumulative(%0) {monoid = add, dimension = 1, reverse = false} : f32[5,T]
  return %1
}
""",
    "transposed": """\
graph f[B = 64 in 2..](%0: f32[B,48]) {
  %1 = transpose(%0) {permutation = (1, 0)} : f32[48,B]
  %2 = negate(%1) : f32[48,B]
  return %2
}
""",
    "batch and length as one": """\
graph f[B = 4 in 2.., T = 8 in 2..](%0: f32[B,T,24], %1: f32[24]) {
  %2 = reshape(%0) : f32[B*T,24]
  %3 = broadcast_in_dim(%1) {dimensions = (1)} : f32[B*T,24]
  %4 = add(%2, %3) : f32[B*T,24]
  %5 = reshape(%4) : f32[B,T,24]
  %6 = tanh(%5) : f32[B,T,24]
  return %6
}
""",
    "one after the other": """\
graph f[B = 4 in 2..](%0: f32[B,24], %1: f32[B,24]) {
  %2 = concatenate(%0, %1) {dimension = 0} : f32[2*B,24]
  %3 = negate(%2) : f32[2*B,24]
  return %3
}
""",
    "reversed": """\
graph f[B = 4 in 2..](%0: f32[B,24]) {
  %1 = reverse(%0) {dimensions = (0)} : f32[B,24]
  %2 = negate(%1) : f32[B,24]
  return %2
}
""",
    "every other row": """\
graph f[B = 32 in 2..](%0: f32[B,24]) {
  %1 = slice(%0) {start = (1, 0), limit = (B, 24), strides = (2, 1)} : f32[floordiv(B, 2),24]
  %2 = negate(%1) : f32[floordiv(B, 2),24]
  return %2
}
""",
    "the first half of the rows": """\
graph f[B = 32 in 2..](%0: f32[B,24]) {
  %1 = slice(%0) {start = (0, 0), limit = (floordiv(B + 1, 2), 24), strides = (1, 1)}
    : f32[floordiv(B + 1, 2),24]
  %2 = tanh(%1) : f32[floordiv(B + 1, 2),24]
  %3 = reduce(%1) {monoid = add, dimensions = (0)} : f32[24]
  return %2, %3
}
""",
    "fours of rows": """\
graph f[B = 32 in 4.. by 4](%0: f32[B,24]) {
  %1 = reshape(%0) : f32[floordiv(B, 4),4,24]
  %2 = reduce(%1) {monoid = maximum, dimensions = (1)} : f32[floordiv(B, 4),24]
  %3 = tanh(%1) : f32[floordiv(B, 4),4,24]
  %4 = reshape(%3) : f32[B,24]
  return %2, %4
}
""",
    "rows up to a multiple of four": """\
graph f[B = 32 in 2..](%0: f32[B,24]) {
  %1 = constant() {value = 0.0} : f32[]
  %2 = pad(%0, %1) {low = (0, 0), high = (4*floordiv(B + 3, 4) - B, 0), interior = (0, 0)}
    : f32[4*floordiv(B + 3, 4),24]
  %3 = reshape(%2) : f32[floordiv(B + 3, 4),4,24]
  %4 = reduce(%3) {monoid = add, dimensions = (1)} : f32[floordiv(B + 3, 4),24]
  return %4
}
""",
    "two rows from where a value says": """\
graph f[B = 32 in 2..](%0: f32[B,48], %1: f32[]) {
  %2 = constant() {value = 9.0} : f32[]
  %3 = multiply(%1, %2) : f32[]
  %4 = convert(%3) : i64[]
  %5 = constant() {value = 0} : i64[]
  %6 = dynamic_slice(%0, %4, %5) {sizes = (2, 48)} : f32[2,48]
  return %6
}
""",
    "rows of one more than the symbol, with others between": """\
graph f[T = 32 in 2..](%0: f32[T], %1: f32[5,T + 1]) {
  %2 = constant() {value = 2.0} : f32[]
  %3 = pad(%1, %2) {low = (0, 0), high = (0, 0), interior = (1, 0)} : f32[9,T + 1]
  %4 = negate(%0) : f32[T]
  return %3, %4
}
""",
    "a square along the diagonal from where a value says": """\
graph f[T = 32 in 2..](%0: f32[T,T], %1: f32[]) {
  %2 = constant() {value = 9.0} : f32[]
  %3 = multiply(%1, %2) : f32[]
  %4 = convert(%3) : i64[]
  %5 = dynamic_slice(%0, %4, %4) {sizes = (2, 2)} : f32[2,2]
  return %5
}
""",
    "windows along the symbol": """\
graph f[T = 32 in 4..](%0: f32[3,T]) {
  %1 = reduce_window(%0) {monoid = maximum, window = (1, 3), strides = (1, 2),
    base_dilation = (1, 1), window_dilation = (1, 1), low = (0, 1), high = (0, 1)}
    : f32[3,floordiv(T + 1, 2)]
  return %1
}
""",
    "linear and tanh": """\
graph f[B = 32 in 2..2147483647](%0: f32[B,48], %1: f32[48,24], %2: f32[24]) {
  %3 = dot_general(%0, %1) {lhs_batch = (), lhs_contract = (1), rhs_batch = (),
    rhs_contract = (0)} : f32[B,24]
  %4 = broadcast_in_dim(%2) {dimensions = (1)} : f32[B,24]
  %5 = add(%3, %4) : f32[B,24]
  %6 = tanh(%5) : f32[B,24]
  %7 = reduce(%6) {monoid = add, dimensions = (0)} : f32[24]
  return %6, %7
}
""",
}

# Of every symbol: the least that there is, one that is even in nothing, one beyond every block.
SIZES = (2, 37, 700)


def dims(shape: tuple[Dim, ...], values) -> tuple[int, ...]:
    return tuple(evaluate(d, values) for d in shape)


def calls(text: str, sizes=SIZES):
    """(inputs, what numpy makes of them in float64) for each of `sizes`."""
    graph = parse(text)
    for number, size in enumerate(sizes):
        values = {
            s: max(s.low, -(-(size + i) // s.multiple) * s.multiple)
            for i, s in enumerate(symbols_of(graph))
        }
        random = np.random.default_rng(number)
        inputs = [
            random.standard_normal(dims(x.type.shape, values)).astype(np.float32)
            for x in graph.inputs
        ]
        yield inputs, eval_numpy.evaluate(substitute(graph, values), inputs)
