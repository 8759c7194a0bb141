"""A graph of torch.fx as text, a line an operation, each with its place in the snippet:

%x : f32[128,256] = input
%add : f32[128,256] = aten.add.Tensor(%x, %b)
return %add
"""

from collections.abc import Iterator
from typing import Any

import torch

from compiler_core.capture.torch.text import op_name
from compiler_core.interop.names import framework_name, name_of
from compiler_core.interop.private import OpOverload
from compiler_core.reference.origins import Origin, origin_of

Line = tuple[str, Origin | None]


def lines_of(module: Any) -> list[Line]:
    """The lines of a torch.fx.GraphModule's graph, then those of the graphs within it, each under
    its name."""
    return [
        line for name, graph in _graphs(module) for line in (*_head(name), *map(_line, graph.nodes))
    ]


def _graphs(module: Any) -> Iterator[tuple[str, Any]]:
    for name, each in module.named_modules():
        if isinstance(each, torch.fx.GraphModule):
            yield name, each.graph


def _head(name: str) -> list[Line]:
    return [("", None), (f"{name}:", None)] if name else []


def _line(node: torch.fx.Node) -> Line:
    return text_of(node), origin_of(node)


def text_of(node: torch.fx.Node) -> str:
    """A node as one line."""
    if node.op == "output":
        return f"return {', '.join(_argument(x) for x in _flat(node.args[0]))}".rstrip()
    type_ = _type(_value(node))
    left = f"%{node.name} : {type_}" if type_ else f"%{node.name}"
    if node.op == "placeholder":
        return f"{left} = input"
    if node.op == "get_attr":
        return f"{left} = {node.target}"
    return f"{left} = {name_of_target(node)}({', '.join(_arguments(node))})"


def name_of_target(node: torch.fx.Node) -> str:
    """The name of what a node calls: `aten.add.Tensor`, `torch.nn.functional.gelu`, `.sum`."""
    target = node.target
    if node.op == "call_method":
        return f".{target}"
    if isinstance(target, str):
        return target
    if isinstance(target, OpOverload):
        return op_name(target)
    name = getattr(target, "__name__", str(target))
    module = str(getattr(target, "__module__", None) or "")
    public = module.startswith("torch") and not any(p.startswith("_") for p in module.split("."))
    return f"{module}.{name}" if public else name


def _flat(value: Any) -> Any:
    return value if isinstance(value, tuple | list) else (value,)


def _arguments(node: torch.fx.Node) -> list[str]:
    named = [f"{name}={_argument(x)}" for name, x in node.kwargs.items()]
    return [*map(_argument, node.args), *named]


def _argument(value: Any) -> str:
    match value:
        case torch.fx.Node():
            return f"%{value.name}"
        case tuple() | list():
            return f"[{', '.join(map(_argument, value))}]"
        case dict():
            return f"{{{', '.join(f'{k}: {_argument(v)}' for k, v in value.items())}}}"
        case torch.dtype():
            return name_of(value) or framework_name(value)
        case _:
            return str(value)


def _value(node: torch.fx.Node) -> Any:
    """What a node gives: AOTAutograd's note of it, else Dynamo's."""
    return node.meta.get("val", node.meta.get("example_value"))


def _type(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return type_of(value)
    if isinstance(value, tuple | list):
        return f"({', '.join(filter(None, map(_type, value)))})"
    return ""


def type_of(value: torch.Tensor) -> str:
    """A tensor's type, such as `f32[4,s0]`, also of one without values."""
    name = name_of(value.dtype) or framework_name(value.dtype)
    return f"{name}[{','.join(map(str, value.shape))}]"
