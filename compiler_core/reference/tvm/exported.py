"""A program as a torch.export.ExportedProgram, for TVM. A torch program is exported from its
author's function; a JAX program, or one that writes into its inputs, from its captured graph as
calls of torch.

The stack trace of each node is replaced by the ids of the captured operations that the node
computes, "ops:3,4": torch keeps stack traces through decompositions, and in files.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import fx
from torch.fx import traceback

from compiler_core.capture.captured import Captured
from compiler_core.capture.torch.memory import is_view
from compiler_core.capture.torch.text import op_name
from compiler_core.interop import arrays
from compiler_core.interop.private import pytree
from compiler_core.ir import eval_torch
from compiler_core.reference.export.private import frames_of_the_snippet
from compiler_core.reference.origins import origin_of
from compiler_core.reference.result import title_of
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import Artifact, CapturedOp, Framework
from compiler_core.snippet.output import unlogged

NAME = title_of("tvm")
# The beginning of a stack trace that holds ids instead.
_IDS = "ops:"
# Namespaces whose operations an exported program has after its decompositions, unless others are
# called by name: those of the snippet (torch.library), of which another process knows nothing.
_ATEN = ("aten", "prims", "higher_order")


@dataclass(frozen=True)
class Exported:
    """`program` is a torch.export.ExportedProgram. `flat` turns the inputs of the captured program
    into the arguments of the exported one, in order, as numpy arrays. `shown` are texts for the
    report."""

    program: Any
    flat: Callable[[Sequence[Any]], list[np.ndarray[Any, Any]]]
    shown: tuple[Artifact, ...] = ()

    def write(self, file: Path) -> None:
        """Saves the program, as torch.export.load reads it."""
        # torch would say that the name does not end in .pt2.
        with open(file, "wb") as opened:
            torch.export.save(self.program, opened)


def exported(captured: Captured, framework: Framework) -> Exported | str:
    """The exported program; or, in one sentence, why the program cannot be exported. Raises what
    torch.export raises."""
    if captured.session is not None:
        return f"{NAME} compiles a graph alone, and Python runs around this program's"
    if framework == "jax" or (captured.written and captured.graphs):
        refused = eval_torch.refusal(captured.graph, NAME)
        return refused if refused is not None else _by_graph(captured)
    return _by_author(captured)


def ids_in(text: str) -> list[int]:
    """The ids of captured operations in the text "ops:3,4"; none in a blank text."""
    return [int(n) for n in text.removeprefix(_IDS).split(",") if n]


def _by_author(captured: Captured) -> Exported | str:
    args, kwargs = captured.call(captured.arguments)
    with unlogged(), frames_of_the_snippet(), torch.no_grad():
        program = torch.export.export(_module(captured.native), args, dict(kwargs), strict=False)
        # TVM does the same; before it, an operation may be several of those that were captured.
        program = program.run_decompositions()
    if beyond := _beyond_aten(program.graph.nodes):
        return f"{NAME} knows operations of ATen, and the program calls {beyond}, which is none"
    ids = _computed(program.graph.nodes, captured.nodes)
    for node in program.graph.nodes:
        # TVM drops a view of the same sizes, and what that is of has the view's name.
        own, of = ids.get(node, ()), ids.get(node.args[0], ()) if _is_same(node) else ()
        ids[node] = tuple(sorted({*own, *of}))
        _mark(node, ids[node])

    def flat(inputs: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
        leaves = pytree.tree_leaves(captured.call(inputs))
        return [arrays.torch_to_numpy(x) for x in leaves if isinstance(x, torch.Tensor)]

    return Exported(program, flat)


def _beyond_aten(nodes: Iterable[Any]) -> str:
    """The first operation of another namespace, as torch.library has its name; "" without one."""
    named = ((n.target.namespace, n.target) for n in nodes if hasattr(n.target, "namespace"))
    own = (each.name() for namespace, each in named if namespace not in _ATEN)
    return next(own, "").partition(".")[0]


def _computed(nodes: Iterable[Any], captured: tuple[CapturedOp, ...]) -> dict[Any, tuple[int, ...]]:
    """The captured operations of each node: torch.export says lines, and no columns. On a line
    those of one name, and views, are the captured ones in their order, if they are as many; of
    other names are what no node has the name of."""
    lines, found = SourceLines(captured), dict[Any, tuple[int, ...]]()
    placed = list(_by_place(nodes).items())
    for (line, name), same in placed:
        named = {n.id: _kind(n.op) for n in captured if n.id in {*lines.at(line)}}
        known = {other for (at, other), _ in placed if at == line}
        own = tuple(i for i, each in named.items() if each == name)
        rest = tuple(i for i, each in named.items() if each not in known) or tuple(named)
        each = [(i,) for i in own] if len(own) == len(same) else [own or rest] * len(same)
        found |= zip(same, each, strict=True)
    return found


def _by_place(nodes: Iterable[Any]) -> dict[tuple[int | None, str], list[Any]]:
    """The nodes by line and operation, in order."""
    found: dict[tuple[int | None, str], list[Any]] = {}
    for node in nodes:
        at = origin_of(node)
        op = _kind(op_name(node.target)) if node.op == "call_function" else ""
        found.setdefault((at.line if at else None, op), []).append(node)
    return found


def _kind(op: str) -> str:
    """The name of an operation; of all views "view", which decompositions turn into others."""
    _, _, name = op.partition("aten.")
    packet, _, overload = name.partition(".")
    found = getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)
    return "view" if packet == "_unsafe_view" or is_view(found) else op


def _is_same(node: Any) -> bool:
    """Whether a node views its operand by the sizes that it has."""
    if node.op != "call_function" or not op_name(node.target).startswith("aten.view"):
        return False
    of, shown = (getattr(x.meta.get("val"), "shape", None) for x in (node.args[0], node))
    return shown is not None and of == shown


def _by_graph(captured: Captured) -> Exported:
    module = eval_torch.function(captured.graph)
    for node in module.graph.nodes:
        _mark(node, node.meta.get("origins", ()))

    def flat(inputs: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
        return [arrays.torch_to_numpy(x.contiguous()) for x in arrays.to_torch_all(inputs)]

    args = tuple(arrays.to_torch_all(captured.arguments))
    with unlogged(), torch.no_grad():
        program = torch.export.export(_module(_interpreted(module)), args, strict=False)
    return Exported(program, flat)


def _mark(node: Any, ids: Sequence[int]) -> None:
    node.meta["stack_trace"] = f"{_IDS}{','.join(map(str, ids))}" if ids else ""


def _interpreted(module: fx.GraphModule) -> Callable[..., Any]:
    """A function that runs the module node by node: when it is traced, the new nodes get the stack
    traces of the module's."""

    def run(*args: Any) -> Any:
        with traceback.preserve_node_meta():
            return fx.Interpreter(module).run(*args)

    return run


def _module(fn: Any) -> torch.nn.Module:
    if isinstance(fn, torch.nn.Module):
        return fn
    module = torch.nn.Module()
    module.forward = fn
    return module
