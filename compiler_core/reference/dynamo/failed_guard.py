"""Why a call did not reuse compiled code: Dynamo's text of the guard that failed, with the value
that was compiled for and the one that came."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch

from compiler_core.capture.torch.dynamo.breaks import readable
from compiler_core.reference.dynamo.conditions import bare, line_of, names

Kind = Literal["size", "tensor", "number", "global", "state", "other"]

_ID = re.compile(r"\A\d+/\d+: ")
_TENSOR = re.compile(
    r"tensor '(?P<name>.+?)' (?P<what>.+?) mismatch(?: at index (?P<index>\d+))?\. "
    r"expected (?P<old>.+?)(?:, actual (?P<new>.+?))?\.?\Z",
    re.DOTALL,
)
_STATE = re.compile(r"GLOBAL_STATE changed: (?P<names>.+)", re.DOTALL)
_STATES = {
    "grad_mode": "whether gradients are recorded",
    "autocast": "autocast",
    "default_dtype": "the default dtype",
    "num_threads": "the number of threads",
    "deterministic_algorithms": "whether deterministic algorithms are asked for",
}


@dataclass(frozen=True)
class Failed:
    """`what` was `old` and is `new`, as text; "" where Dynamo does not say. `line` is the snippet's
    line that the guard comes from; of a guard on a tensor Dynamo names the `tensor` alone."""

    kind: Kind
    what: str
    old: str = ""
    new: str = ""
    line: int | None = None
    tensor: str = ""


def failed(reason: str, values: Mapping[str, Any], spaces: Mapping[str, Any]) -> Failed:
    """Parses Dynamo's text of a failed guard. The changed value is looked up in `values`, the
    function's locals, and `spaces`, its globals."""
    text = _ID.sub("", reason).partition("\nUser stack trace:")[0].strip()
    if found := _TENSOR.fullmatch(text):
        return _of_tensor(found)
    if found := _STATE.fullmatch(text):
        return _of_state(found["names"].split())
    return _of_condition(bare(text), line_of(text), values, spaces)


def _of_state(changed: Sequence[str]) -> Failed:
    what = ", ".join(_STATES.get(name, name) for name in changed)
    now = torch.is_grad_enabled()
    old, new = (str(not now), str(now)) if list(changed) == ["grad_mode"] else ("", "")
    return Failed("state", what, old, new)


def _of_tensor(found: re.Match[str]) -> Failed:
    what, index, name = found["what"], found["index"], names(found["name"])
    place = f" {index}" if index is not None else ""
    size = what in ("size", "rank")
    of = f"{what}{place} of {name}"
    kind: Kind = "size" if size else "tensor"
    return Failed(kind, of, found["old"], found["new"] or "", tensor=name)


def _of_condition(
    text: str, line: int | None, values: Mapping[str, Any], spaces: Mapping[str, Any]
) -> Failed:
    try:
        compared = ast.parse(text, mode="eval").body
    except SyntaxError:
        return Failed("other", readable(names(text)), line=line)
    if not isinstance(compared, ast.Compare):
        return Failed("other", readable(names(text)), line=line)
    sides = [compared.left, *compared.comparators]
    asked = next((s for s in sides if not _is_constant(s)), sides[0])
    new = _value(ast.unparse(asked), values, spaces)
    fixed = sides[1] if len(sides) == 2 and asked is sides[0] else None
    what = names(ast.unparse(asked))
    if fixed is not None and isinstance(compared.ops[0], ast.Eq):
        return Failed(_kind(asked), what, ast.unparse(fixed), new, line)
    return Failed(_kind(asked), what, names(text), new, line)


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.UnaryOp)


def _kind(asked: ast.expr) -> Kind:
    text = ast.unparse(asked)
    if ".size()" in text or text.startswith("len("):
        return "size"
    return "global" if text.startswith("G[") or ".self" in text or "self." in text else "number"


def _value(text: str, values: Mapping[str, Any], spaces: Mapping[str, Any]) -> str:
    """What an expression of Dynamo's is now. It reads names, items and attributes alone."""
    known = {**values, "L": values, "G": spaces}
    try:
        return f"{eval(text, {'len': len}, known)!r:.60}"
    except Exception:
        return ""
