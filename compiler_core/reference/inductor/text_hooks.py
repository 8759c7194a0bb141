"""Hooks for the texts that TorchInductor writes of a graph: to be notified of each, or to have
texts alone and nothing compiled. They replace private functions
(tests/compiler_core/reference/inductor/test_hooks.py holds their names)."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from unittest import mock

from compiler_core.reference.inductor.hooks import around


def on_text(written: Callable[[str], None]) -> AbstractContextManager[Any]:
    """Context in which `written` is called with the text of each module that is compiled."""
    from torch._inductor.graph import GraphLowering

    return mock.patch.object(GraphLowering, "save_output_code", staticmethod(written))


@contextmanager
def text_only(compiled: Callable[[Any, str], Callable[[list[Any]], Any]]) -> Iterator[None]:
    """Context in which Inductor generates its code and compiles none of it: `compiled` is called
    with the lowered graph and the text, and returns what is to be called instead."""
    from torch._inductor.graph import GraphLowering

    def hook(original: Any, graph: Any) -> Any:
        written, _ = graph.codegen_with_cpp_wrapper() if graph.cpp_wrapper else graph.codegen()
        # What the rest of Inductor reads of a compiled module.
        return mock.Mock(spec=["call"], call=compiled(graph, written.value))

    with around(GraphLowering, "_compile_to_module", hook):
        yield


def without_loading() -> AbstractContextManager[None]:
    """Context in which a compiled graph is only written, and nothing of it is loaded onto a
    device."""
    from torch._inductor.output_code import CompiledFxGraph

    return around(CompiledFxGraph, "post_compile", lambda *given, **more: None)
