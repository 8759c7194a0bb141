"""Which node of a graph each value of a generated kernel is computed for, by private functions of
TorchInductor (tests/compiler_core/reference/inductor/test_hooks.py holds their names).

A node is lowered to a function that computes one element; such functions call each other and are
run once, into a small graph, from which the code is written. The hooks make each function record
its node while it runs; the nodes of the small graph keep that record, also when they are run into
another graph; and when a value gets its name, the small graph's node that is being written tells
whose it is.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from compiler_core.reference.inductor.hooks import around

_NODE = "fuselab_node"

# Called with a value's name, the expression that it stands for, and the node of the graph.
Named = Callable[[str, str, Any], None]


@contextmanager
def on_values(named: Named) -> Iterator[None]:
    """Context in which `named` is called for each value of a kernel when it gets its name, unless
    its node is not known. The text is "" if it has several lines."""
    from torch._inductor import ir, loop_body
    from torch._inductor.codegen import common
    from torch._inductor.virtualized import V

    running: list[Any] = []  # nodes whose functions are run, innermost last

    def noting(node: Any, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            running.append(node)
            try:
                return function(*args, **kwargs)
            finally:
                running.pop()

        return run

    def initialised(original: Any, loops: Any) -> None:
        original(loops)
        node = getattr(V.graph, "current_node", None)
        if node is None:
            return
        loops._post_init_setattr("inner_fn", noting(node, loops.inner_fn))
        if hasattr(loops, "inner_fns"):
            several = tuple(noting(node, each) for each in loops.inner_fns)
            loops._post_init_setattr("inner_fns", several)

    def traced(original: Any, tracer: Any, *args: Any, **kwargs: Any) -> Any:
        found = original(tracer, *args, **kwargs)
        node = running[-1] if running else _interpreted(V)
        if node is not None:
            found.meta[_NODE] = node
        return found

    def generated(original: Any, cse: Any, buffer: Any, expr: Any, **kwargs: Any) -> Any:
        before = len(cse.varname_map)
        value = original(cse, buffer, expr, **kwargs)
        node = _interpreted(V) or _scheduled(V)
        if len(cse.varname_map) > before and node is not None:
            text = expr if isinstance(expr, str) else getattr(expr, "line", "")
            named(str(value), text, node)
        return value

    with ExitStack() as stack:
        stack.enter_context(around(ir.Loops, "__post_init__", initialised))
        stack.enter_context(around(loop_body.LightTracer, "create_node", traced))
        stack.enter_context(around(common.CSE, "generate", generated))
        yield


def _interpreted(handlers: Any) -> Any:
    """The graph's node that a small graph's node is of, while this is run; None outside."""
    node = getattr(handlers.interpreter, "current_node", None)
    return None if node is None else node.meta.get(_NODE)


def _scheduled(handlers: Any) -> Any:
    """The node that the scheduler's node ends in, while this is written: of what no function
    computes, as the sum of a reduction."""
    unit = getattr(handlers.kernel, "current_node", None)
    return getattr(getattr(unit, "node", None), "origin_node", None)
