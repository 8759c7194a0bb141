"""The captured ATen calls as text, one line each, and the ids of the captured operations of each
line.

    softmax(%x: f32[4096,512])
      %0 = aten._softmax(%x, -1, False) : f32[4096,512]
      return %0

%n is the result of the captured operation n.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from compiler_core.capture.torch import numbers_of_sizes
from compiler_core.capture.torch.symbols import dim_of, is_number
from compiler_core.capture.torch.trace import Call, TensorResult, TracedRegion, size_of
from compiler_core.interop.names import framework_name, name_of
from compiler_core.interop.private import HigherOrderOperator, OpOverload

Lines = list[tuple[str, tuple[int, ...]]]
# The namespaces of torch's own operations.
_OF_TORCH = frozenset(("", "aten", "prims"))


def text_of(
    name: str,
    inputs: Sequence[tuple[str, TensorResult]],
    calls: Sequence[Call],
    results: Sequence[torch.Tensor],
    written: Sequence[str],
    first: int = 0,
) -> Lines:
    """The text and its line map. `written` names inputs that the program writes to; the ids of the
    calls begin at `first`."""
    known = {id(tensor): name for name, (tensor, _, _) in inputs}
    params = ", ".join(f"%{n}: {_type(dtype, shape)}" for n, (_, dtype, shape) in inputs)
    lines: Lines = [(f"{name}({params})", ())]
    lines += _calls(calls, first, known, 1)
    if written:
        lines.append((f"  writes {', '.join(f'%{name}' for name in written)}", ()))
    lines.append((f"  return {', '.join(_argument(t, known) for t in results)}".rstrip(), ()))
    return lines


def _calls(calls: Sequence[Call], first: int, known: dict[int, str], depth: int) -> Lines:
    lines: Lines = []
    number, space = first, "  " * depth
    for call in calls:
        lines.append((f"{space}{_call(number, call, known)}", (number,)))
        inside = number + 1
        for region in call.regions:
            lines += _region(region, number, inside, known, depth + 1)
            inside += sum(map(size_of, region.calls))
        for index, (tensor, _, _) in enumerate(call.results):
            suffix = f"#{index}" if len(call.results) > 1 else ""
            known.setdefault(id(tensor), f"{number}{suffix}")
        number += size_of(call)
    return lines


def _region(
    region: TracedRegion, number: int, first: int, known: dict[int, str], depth: int
) -> Lines:
    """The function of call `number`, whose own calls are numbered from `first`."""
    names = [f"{number}.{region.name}.{i}" for i, _ in enumerate(region.inputs)]
    known.update({id(t): name for t, name in zip(region.inputs, names, strict=True)})
    head = ", ".join(
        f"%{name}: {_type(t.dtype, t.shape)}" for name, t in zip(names, region.inputs, strict=True)
    )
    space = "  " * depth
    lines = [
        (f"{space}{region.name}({head})", (number,)),
        *_calls(region.calls, first, known, depth + 1),
    ]
    results = ", ".join(_argument(t, known) for t in region.outputs)
    return [*lines, (f"{space}  return {results}", (number,))]


def op_name(func: Any) -> str:
    """The name of an operation in the captured text, such as `aten.add.Tensor`; `.default` is
    omitted."""
    return str(func).removesuffix(".default")


def in_words(func: Any) -> str:
    """The name of an operation in a sentence: `softmax`, `the gradient of batch_norm`; that of a
    library's own operator includes the library's name."""
    if not isinstance(func, OpOverload | HigherOrderOperator):
        return str(getattr(func, "__name__", type(func).__name__))
    library, _, name = func.name().partition(".")[0].rpartition("::")
    if library not in _OF_TORCH:
        return f"{library}.{name}"
    plain = name.strip("_").removeprefix("native_")
    of = plain.removesuffix("_backward")
    return plain if of == plain else f"the gradient of {of}"


def _call(number: int, call: Call, names: Mapping[int, str]) -> str:
    args = ", ".join(_shown_arguments(call, names))
    types = [_type(dtype, shape) for _, dtype, shape in call.results]
    shown = types[0] if len(types) == 1 else f"({', '.join(types)})"
    return f"%{number} = {op_name(call.func)}({args}) : {shown}"


def _shown_arguments(call: Call, names: Mapping[int, str]) -> list[str]:
    """Trailing arguments that have their default are left out, keywords are named."""
    if call.regions:
        return [_argument(arg, names) for arg in call.args]
    shown, last = [], 0
    for arg, schema in zip(call.args, call.func._schema.arguments, strict=True):
        text = _argument(arg, names)
        shown.append(f"{schema.name}={text}" if schema.kwarg_only else text)
        is_default = schema.has_default_value() and _same(arg, schema.default_value)
        if is_default and schema.kwarg_only:
            shown.pop()
        elif not is_default:
            last = len(shown)
    return shown[:last]


def _same(x: Any, y: Any) -> bool:
    return not isinstance(x, torch.Tensor) and type(x) is type(y) and x == y


def _argument(value: Any, names: Mapping[int, str]) -> str:
    if isinstance(value, torch.Tensor):
        return f"%{names.get(id(value), '?')}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(_argument(v, names) for v in value)}]"
    if isinstance(value, torch.SymInt) and not is_number(value):
        return str(dim_of(value))
    return numbers_of_sizes.text_of(value) if isinstance(value, torch.SymFloat) else str(value)


def _type(dtype: torch.dtype, shape: Sequence[int]) -> str:
    name = name_of(dtype) or framework_name(dtype)
    return f"{name}[{','.join(str(dim_of(s)) for s in shape)}]"
