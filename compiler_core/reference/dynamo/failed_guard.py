"""Why a call did not reuse compiled code: Dynamo's text of the guard that failed, with the value
that was compiled for and the one that came."""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch

from compiler_core.capture.torch.dynamo.breaks import readable
from compiler_core.reference.dynamo.conditions import bare, line_of, names
from compiler_core.reference.dynamo.guarded import name_of, named
from compiler_core.reference.dynamo.settings import Setting, settings_of, words

Kind = Literal[
    "size", "length", "tensor", "number", "choice", "global", "type", "object", "state", "other"
]

Values = Mapping[str, Any]
# By what Dynamo says it expected of requires_grad: the value before, and now.
_GRADIENTS = {"requires_grad=0": ("False", "True"), "requires_grad=1": ("True", "False")}
_NO_MORE = "an object that is there no more"

_ID = re.compile(r"\A\d+/\d+: ")
_TENSOR = re.compile(
    r"tensor '(?P<name>.+?)' (?P<what>.+?) mismatch(?: at index (?P<index>\d+))?\. "
    r"expected (?P<old>.+?)(?:, actual (?P<new>.+?))?\.?\Z",
    re.DOTALL,
)
_TYPE = re.compile(
    r"___check_type_id\((?P<name>.+), \d+\), type=<class '(?:__main__\.)?(?P<type>.+)'>"
)
_OBJECT = re.compile(r"___check_obj_id\((?P<name>.+), \d+\)(?:, type=(?P<of>.+))?")
# Of a value that now has another type, Dynamo says only that it cannot be read as before.
_ACCESSOR = re.compile(r"\w+Accessor: .* on (?P<name>.+?)(?:\.__\w+__)?")
_GONE = re.compile(r"Cache line invalidated because (?P<name>.+) got deallocated")
# Of a dict, Dynamo says what failed, not what must hold.
_LENGTH = re.compile(r"len\(.+\) != (?P<old>\d+)")
_STATE = re.compile(r"GLOBAL_STATE changed: (?P<names>\S.*)", re.DOTALL)


@dataclass(frozen=True)
class Failed:
    """The value `what` changed from `old` to `new` (as text; "" where Dynamo does not say). `line`
    is the snippet's line that the guard comes from. `guard` is the beginning of the guard's
    sentence, by which its line and value are found. For a setting of torch, `remedy` says what to
    do, and `others` are settings that changed with it."""

    kind: Kind
    what: str
    old: str = ""
    new: str = ""
    line: int | None = None
    guard: str = ""
    remedy: str = ""
    others: tuple["Failed", ...] = ()

    def is_of(self, guard: str) -> bool:
        """Whether the sentence `guard` is that of the guard that failed."""
        return guard.startswith(self.guard)


def failed(
    reason: str,
    values: Mapping[str, Any],
    spaces: Mapping[str, Any],
    before: str = "",
    now: str = "",
) -> Failed:
    """Parses Dynamo's text of a failed guard. The changed value is looked up in `values`, the
    function's locals, and `spaces`, its globals; of a setting, in `before` and `now`, the texts
    that a guard has of all of them."""
    text = _ID.sub("", reason).partition("\nUser stack trace:")[0].strip()
    if found := _TENSOR.fullmatch(text):
        return _of_tensor(found)
    if found := _STATE.fullmatch(text):
        return _of_settings(found["names"].split(), settings_of(before), settings_of(now))
    known = {**values, "L": values, "G": spaces}
    text, line = bare(text), line_of(text)
    if found := _TYPE.fullmatch(text):
        new = _looked_up(found["name"], known, lambda value: _class(type(value)))
        return Failed("type", f"the type of {names(found['name'])}", found["type"], new, line)
    if found := _GONE.fullmatch(text):
        return _of_object({"name": found["name"], "of": _NO_MORE}, line, known)
    if found := _OBJECT.fullmatch(text) or _ACCESSOR.fullmatch(text):
        return _of_object(found.groupdict(), line, known)
    return _of_condition(text, line, known)


def _of_object(found: Mapping[str, str | None], line: int | None, known: Values) -> Failed:
    name = found["name"] or ""
    old, what = named(found.get("of") or ""), names(name)
    new = _looked_up(name, known, lambda value: name_of(value) or f"of type {_class(type(value))}")
    return Failed("object", what, old, new, line, f"{what} is the same object")


def _class(of: type) -> str:
    """As a guard's text names it."""
    own = of.__module__ in ("builtins", "__main__")
    return of.__qualname__ if own else f"{of.__module__}.{of.__qualname__}"


def more_settings(reason: str) -> int:
    """How many of torch's settings have changed besides the first one: a single guard covers all of
    them."""
    found = _STATE.fullmatch(_ID.sub("", reason))
    return len(found["names"].split()) - 1 if found else 0


def _of_settings(
    changed: Sequence[str], before: Mapping[str, Setting], now: Mapping[str, Setting]
) -> Failed:
    first, *others = (
        Failed(
            "state", words(name).what, _value(before, name), _value(now, name),
            remedy=words(name).remedy,
        )
        for name in changed
    )  # fmt: skip
    return replace(first, others=tuple(others))


def _value(of: Mapping[str, Setting], name: str) -> str:
    return of[name].value if name in of else ""


def _of_tensor(found: re.Match[str]) -> Failed:
    what, index, name = found["what"], found["index"], names(found["name"])
    place = f" {index}" if index is not None else ""
    size = what in ("size", "rank")
    of = f"{what}{place} of {name}"
    kind: Kind = "size" if size else "tensor"
    old, new = _GRADIENTS.get(found["old"], (found["old"], found["new"] or ""))
    return Failed(kind, of, old, new, guard=f"{name} is a ")


def _of_condition(text: str, line: int | None, known: Values) -> Failed:
    sentence = names(text)
    try:
        compared = ast.parse(text, mode="eval").body
    except SyntaxError:
        return Failed("other", readable(sentence), line=line)
    if isinstance(compared, ast.UnaryOp) and isinstance(compared.op, ast.Not):
        return _of_emptiness(ast.unparse(compared.operand), sentence, line, known)
    if not isinstance(compared, ast.Compare):
        return Failed("other", readable(sentence), line=line)
    sides = [compared.left, *compared.comparators]
    asked = next((s for s in sides if not _is_constant(s)), sides[0])
    new = _looked_up(ast.unparse(asked), known, _shown)
    fixed = sides[1] if len(sides) == 2 and asked is sides[0] else None
    what = names(ast.unparse(asked))
    if found := _LENGTH.fullmatch(text):
        return Failed("length", what, found["old"], new, line, what)
    if fixed is not None and isinstance(compared.ops[0], ast.Eq | ast.Is):
        return Failed(_kind(asked, fixed), what, names(ast.unparse(fixed)), new, line, sentence)
    return Failed(_kind(asked, fixed), what, sentence, new, line, sentence)


def _of_emptiness(container: str, sentence: str, line: int | None, known: Values) -> Failed:
    """Of a list or dict that had nothing in it."""
    asked = f"len({container})"
    new = _looked_up(asked, known, _shown)
    if not new:
        return Failed("other", readable(sentence), line=line)
    return Failed("length", names(asked), "0", new, line, sentence)


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.UnaryOp)


def _kind(asked: ast.expr, fixed: ast.expr | None) -> Kind:
    text = ast.unparse(asked)
    if ".size()" in text:
        return "size"
    if text.startswith("len("):
        return "length"
    if isinstance(fixed, ast.Constant) and isinstance(fixed.value, str | bool | None):
        return "choice"
    return "global" if text.startswith("G[") or ".self" in text or "self." in text else "number"


def _looked_up(text: str, known: Values, shown: Callable[[Any], str]) -> str:
    """What an expression of Dynamo's is now; "" where it cannot be told. It reads names, items and
    attributes alone."""
    try:
        return shown(eval(text, {"len": len}, dict(known)))
    except Exception:
        return ""


def _shown(value: object) -> str:
    """A value; of a tensor its type and sizes alone, and of a function its name."""
    if isinstance(value, torch.Tensor):
        return f"a {str(value.dtype).removeprefix('torch.')} tensor of size {list(value.shape)}"
    return name_of(value) or f"{value!r:.60}"
