"""The one text form of a graph, printed and parsed: the test format, the diff format, and what
the page shows.

    graph gelu(%0: f32[4096,1024], %1: f32[1024]) {
      %2 = broadcast_in_dim(%1) {dimensions = (1)} : f32[4096,1024]
      %3 = add(%0, %2) : f32[4096,1024]
      return %3
    }

`parse(print(graph))` prints the same text. A library call parses to one that cannot be run.
"""

import ast
import re
from collections.abc import Iterator
from typing import Any

from compiler_core.errors import VerifyError
from compiler_core.ir.graph import Graph, Node
from compiler_core.ir.library import Callee
from compiler_core.ir.types import DTYPES, TensorType

Line = tuple[str, tuple[int, ...]]

# What a parameter says of itself besides its type is in the graph's head, not in a line.
_SILENT = frozenset({"parameter"})


def to_text(graph: Graph) -> str:
    return "\n".join(text for text, _ in lines(graph)) + "\n"


def line_map(graph: Graph) -> list[list[int]]:
    """For each line of `to_text`, the captured operations that it comes from."""
    return [list(origins) for _, origins in lines(graph)]


def lines(graph: Graph) -> Iterator[Line]:
    """Each line with its origins."""
    params = ", ".join(f"{x}: {x.type}" for x in graph.inputs)
    yield f"graph {graph.name}({params}) {{", ()
    for node in graph.ops:
        yield f"  {node_text(node)}", node.origins
    returned = ", ".join(map(str, graph.outputs))
    yield f"  return {returned}".rstrip(), ()
    yield "}", ()


def node_text(node: Node) -> str:
    """One node: `%3 = compare(%1, %2) {direction = LT} : bool[4]`."""
    operands = ", ".join(map(str, node.inputs))
    attrs = ", ".join(f"{name} = {_value(value)}" for name, value in node.attrs)
    types = ", ".join(map(str, node.types)) or str(node.type)
    return f"{node} = {node.op}({operands}){f' {{{attrs}}}' if attrs else ''} : {types}"


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_value, value))})"
    return repr(value) if isinstance(value, float) else str(value)


_HEAD = re.compile(r"graph (\S+?)\((.*)\) \{")
_NODE = re.compile(r"(%\d+) = (\w+)\((.*?)\)(?: \{(.*)\})? : (.+)")
_TYPE = re.compile(r"(\w+)\[([\d,]*)\]")
_ATTR = re.compile(r"(\w+) = (\(.*?\)|[^,]+)(?:, |$)")


def parse(text: str) -> Graph:
    """The graph of a text. Raises VerifyError naming the line that is not understood."""
    head, *body = [line.strip() for line in text.strip().splitlines()]
    match = _HEAD.fullmatch(head)
    if match is None:
        raise VerifyError(f"a graph starts with `graph name(...) {{`, not `{head}`")
    values: dict[str, Node] = {}
    inputs = []
    for index, param in enumerate(filter(None, re.split(r", (?=%)", match[2]))):
        name, _, type_ = param.partition(": ")
        attrs = (("index", index), ("name", ""))
        node = Node(int(name[1:]), "parameter", (), parse_type(type_), attrs)
        values[name] = node
        inputs.append(node)
    for line in body:
        if line == "}":
            break
        if line.startswith("return"):
            names = filter(None, line.removeprefix("return").strip().split(", "))
            return Graph.of(match[1], inputs, [_known(values, n, line) for n in names])
        node = _parse_node(line, values)
        values[str(node)] = node
    raise VerifyError("the graph has no return line")


def parse_type(text: str) -> TensorType:
    """`f32[4,8]`."""
    match = _TYPE.fullmatch(text)
    if match is None or match[1] not in DTYPES:
        raise VerifyError(f"`{text}` is not a type such as f32[4,8]")
    return TensorType(DTYPES[match[1]], tuple(int(s) for s in match[2].split(",") if s))


def _parse_node(line: str, values: dict[str, Node]) -> Node:
    match = _NODE.fullmatch(line)
    if match is None:
        raise VerifyError(f"`{line}` is not a node: %id = op(operands) {{attrs}} : type")
    name, op, operands, attrs, types = match.groups()
    inputs = tuple(_known(values, n, line) for n in filter(None, operands.split(", ")))
    parsed = [parse_type(t) for t in re.findall(r"\w+\[[\d,]*\]", types)]
    pairs = tuple((a, _attr(a, v)) for a, v in _ATTR.findall(attrs or ""))
    several = tuple(parsed) if len(parsed) > 1 else ()
    return Node(int(name[1:]), op, inputs, parsed[0], pairs, (), several)


def _attr(name: str, value: str) -> Any:
    if name == "callee":
        return Callee(value, "torch", "parsed from text")
    if value.startswith("("):
        return tuple(int(v) for v in value.strip("()").split(", ") if v)
    if value in ("inf", "-inf", "nan"):
        return float(value)
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value


def _known(values: dict[str, Node], name: str, line: str) -> Node:
    if name not in values:
        raise VerifyError(f"`{line}` uses {name}, which is not defined above it")
    return values[name]
