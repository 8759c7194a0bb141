"""Programs as people write them, one for each behaviour that loops, templates and regions carry, as
the plans that both printers print and both runtimes run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
import torch
from torch.nn import functional

from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.passes.order import PASSES
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.plan import Plan
from tests.compiler_core.capture.oracle import captured, to_numpy
from tests.compiler_core.plans import ON_CPU, ON_GPU

Shapes = Sequence[tuple[int, ...]]


@dataclass(frozen=True)
class Behaviour:
    """`printed`: the shapes whose text is pinned; `computed`: those that the interpreter walks.
    An index is below `rows`. `begins`: where the C is pinned from, below long helpers."""

    framework: Literal["torch", "jax"]
    fn: Callable[..., Any]
    printed: Shapes
    computed: Shapes
    rows: int = 0
    begins: str = ""

    def inputs(self, shapes: Shapes) -> list[np.ndarray]:
        """float32, but the last is of indices where there are any."""
        random = np.random.default_rng(2)
        found = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
        if self.rows:
            found[-1] = random.integers(0, self.rows, shapes[-1]).astype(self._index)
        return found

    @property
    def _index(self) -> str:
        return "int64" if self.framework == "torch" else "int32"

    def plan(self, shapes: Shapes, backend: Literal["cpu", "gpu"]) -> Plan:
        given = torch.from_numpy if self.framework == "torch" else jnp.asarray
        program = captured(self.framework, self.fn, *map(given, self.inputs(shapes)))
        graph = program.graph
        for each in PASSES:
            graph, _ = each.run(graph)
        model, choose = (cost.CPU, ON_CPU) if backend == "cpu" else (cost.GPU, ON_GPU)
        return build_plan(fuse(values_of(graph), model), choose)

    def eager(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """What the framework makes of them; torch in float64."""
        if self.framework == "jax":
            results = jax.tree.leaves(self.fn(*map(jnp.asarray, inputs)))
        else:
            wide = (x.astype(np.float64) if x.dtype == np.float32 else x for x in inputs)
            result = self.fn(*map(torch.from_numpy, wide))
            results = result if isinstance(result, tuple) else (result,)
        return [to_numpy(x) for x in results]


def agree(found: Sequence[np.ndarray], wanted: Sequence[np.ndarray]) -> None:
    assert [x.shape for x in found] == [x.shape for x in wanted]
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-5)


def pooled(x):
    return functional.max_pool2d(x, 3, stride=2, padding=1, return_indices=True)


def embedding_gradient(gradient, words):
    return torch.ops.aten.embedding_dense_backward(gradient, words, 50, -1, False)


def linear_gelu(x, weight, bias):
    return functional.gelu(functional.linear(x, weight, bias))


@jax.jit
def doubled_until(x):
    return jax.lax.while_loop(lambda v: jnp.abs(v).sum() < 900, lambda v: v * 2, x)


@jax.jit
def one_of_three(x, index):
    branches = (lambda v: -v, lambda v: v + v, lambda v: v * v)
    return jax.lax.switch(index[0], branches, x)


@jax.jit
def decayed_sums(start, xs):
    def step(carry, x):
        new = carry * 0.5 + x
        return new, new

    return jax.lax.scan(step, start, xs)


def sums_of_no_rows(x):
    return x.cumsum(1), x.cumsum(0), x.sum(0), x.sum(1), x.softmax(1)


BEHAVIOURS = {
    "product of no terms and bias": Behaviour(
        "torch", lambda x, y, bias: (x @ y + bias).relu(),
        [(3, 0), (0, 4), (4,)], [(3, 0), (0, 4), (4,)],
    ),
    "sums of no rows": Behaviour("torch", sums_of_no_rows, [(0, 7)], [(0, 7)]),
    "max pooling with its indices": Behaviour(
        "torch", pooled, [(8, 16, 56, 56)], [(2, 3, 9, 7)]
    ),
    "cummax": Behaviour("torch", lambda x: torch.cummax(x, 1), [(4096, 1000)], [(5, 37)]),
    "var_mean": Behaviour("torch", lambda x: torch.var_mean(x, 1), [(16, 100_000)], [(5, 37)]),
    "top_k": Behaviour("torch", lambda x: torch.topk(x, 4), [(512, 1000)], [(5, 37)]),
    "embedding gradient": Behaviour(
        "torch", embedding_gradient, [(4096, 512), (4096,)], [(30, 8), (30,)], rows=50
    ),
    "linear, bias and GELU": Behaviour(
        "torch", linear_gelu, [(512, 1024), (1024, 1024), (1024,)], [(33, 40), (65, 40), (65,)],
        begins="// elementwise: on some rows",
    ),
    "while": Behaviour("jax", doubled_until, [(64,)], [(37,)]),
    "case": Behaviour("jax", one_of_three, [(64,), (1,)], [(37,), (1,)], rows=3),
    "scan": Behaviour("jax", decayed_sums, [(64,), (50, 64)], [(37,), (6, 37)]),
}  # fmt: skip
