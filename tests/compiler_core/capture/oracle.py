"""A captured graph against the program itself: numpy evaluates the one, the framework runs the
other."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import ml_dtypes
import numpy as np
import torch

from compiler_core.capture import capture
from compiler_core.capture.captured import Captured, CapturedGraph
from compiler_core.interop.arrays import numpy_to_torch as to_torch
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.verify import verify
from compiler_core.snippet.program import FoundProgram
from conformance.operations.cases import QUICKLY

# Relative and absolute, by the type of the result: that of the framework's own rounding.
_TOLERANCES = {"float64": 1e-12, "float32": 2e-5, "bfloat16": 2e-2, "float16": 4e-3}


def captured(
    framework: Any,
    fn: Callable[..., Any],
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    **statics: Any,
) -> Captured:
    """The program `fn(*args)`, captured and verified."""
    found = FoundProgram("f", framework, 1, fn, args, kwargs or {}, **statics)
    result = capture(found)
    for each in result.graphs:
        verify(each.graph)
    return result


def agrees(result: Captured, seed: int | None = None) -> Captured:
    """Asserts that the graph computes what the framework does; gives `made` back."""
    inputs = list(result.arguments if seed is None else result.fresh(seed))
    got = _evaluated(result, inputs)
    want = [to_numpy(x) for x in _by_framework(result, inputs)]
    assert [(x.dtype, x.shape) for x in got] == [(x.dtype, x.shape) for x in want]
    for ours, theirs in zip(got, want, strict=True):
        tolerance = _TOLERANCES.get(ours.dtype.name, 0)
        x, y = _comparable(ours), _comparable(theirs)
        # A sum's rounding is relative to its terms, not to what is left of them.
        largest = np.abs(y[np.isfinite(y)]).max(initial=1)
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance * largest)
    return result


def _by_framework(result: Captured, inputs: Sequence[Any]) -> list[Any]:
    """JAX compiles a program sooner than its operations one by one. A program of torch's may be
    Python alone, without graphs."""
    if any(each.language == "jaxpr" for each in result.graphs):
        return jax.jit(result.eager, compiler_options=QUICKLY)(inputs)
    return result.eager(inputs)


def _evaluated(result: Captured, inputs: Sequence[Any]) -> list[np.ndarray]:
    """By numpy; of a program of several graphs each is, and the program's own Python runs."""
    if result.session is None:
        return evaluate(result.graph, [to_numpy(x) for x in inputs])
    runs = [functools.partial(by_numpy, each) for each in result.graphs]
    result.session.link(runs, late=lambda graph: functools.partial(by_numpy, graph))
    results = result.session.compiled(result.session.prepare(inputs))
    got = [to_numpy(x) for x in result.session.outputs(results)]
    result.session.restore()
    return got


def by_numpy(graph: CapturedGraph, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The outputs of a graph; its inputs have their new values."""
    found = [to_torch(x) for x in evaluate(graph.graph, [to_numpy(x) for x in inputs])]
    for output, given in graph.replaced:
        inputs[given].copy_(found[output])
    return found


def to_numpy(x: Any) -> np.ndarray:
    if type(x).__module__.startswith("torch"):
        x = x.detach().cpu()
        if str(x.dtype) == "torch.bfloat16":
            return x.float().numpy().astype(ml_dtypes.bfloat16)
        # A copy: what was returned may be written to afterwards.
        return x.numpy().copy()
    x = np.asarray(x)
    return x.view(np.uint8) if x.dtype.name.startswith("float8") else x


def _comparable(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64) if x.dtype.kind not in "biu" else x


def library_calls(result: Captured) -> list[str]:
    operations = [n for each in result.graphs for n in each.graph.operations]
    return [str(n["callee"]) for n in operations if n.op == "library_call"]
