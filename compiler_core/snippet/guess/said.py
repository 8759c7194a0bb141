"""Shapes that people write beside their code: `# log_probs: (T, B, C)`, and in a docstring `points:
(B, N, 3)`, `logits (Tensor): of shape [N, C]`."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from compiler_core.snippet.guess.usage import Usage
from compiler_core.snippet.source import Definition, Source

_GROUP = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_SIZE = re.compile(r"[A-Za-z]\w{0,15}|[1-9]\d*")
# A single word in brackets is a size only if it is one letter or has such a name.
_ALONE = re.compile(r"[A-Z]|[1-9]\d*|\w*(batch|size|dim|len|num|n_)\w*")
# Words in brackets that are no sizes: coordinates, types, ranges, and remarks on arguments.
_NO_SIZE = re.compile(
    r"[xyzuv]\d?|[xy](_|min|max)\w*|[clrt][xy]|x[yx]xy|left|right|top|bottom|r|g|b|optional|int|"
    r"float|bool|str|list|tuple|dict|tensor|array|ndarray|callable|default|required|module|and|or|"
    r"e|i|the|a|in|of|to",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\n\s*\n|->|→|=>|\b(returns?|outputs?|yields?)\b", re.IGNORECASE)
# The most characters between a parameter's name and its shape.
_FAR = 100


def with_said(
    used: Mapping[str, Usage], code: Definition | ast.Lambda, source: Source
) -> dict[str, Usage]:
    """`used`, with the written dimensions of a parameter in place of those that its code implies:
    written ones are letters where the code's may be numbers."""
    found = dict(used)
    for text in _texts(code, source):
        for name, letters in _shapes(text, list(used)):
            found[name] = replace(found[name], letters=letters, said=True)
    return found


def _texts(code: Definition | ast.Lambda, source: Source) -> Iterator[str]:
    """The docstring, and that of its class; the comments above it and before its first statement,
    one behind a parameter with that parameter's name."""
    if isinstance(code, ast.Lambda):
        return
    yield ast.get_docstring(code) or ""
    classes = (c for c in ast.walk(source.tree) if isinstance(c, ast.ClassDef) and code in c.body)
    yield from (ast.get_docstring(cls) or "" for cls in classes)
    lines = source.text.splitlines()
    own = {a.lineno: a.arg for a in ast.walk(code) if isinstance(a, ast.arg)}
    first = min((n.lineno for n in code.body if not _is_text(n)), default=code.lineno)
    above = code.decorator_list[0].lineno if code.decorator_list else code.lineno
    while above > 1 and lines[above - 2].lstrip().startswith("#"):
        above -= 1
    for number in range(above, first):
        before, mark, comment = lines[number - 1].partition("#")
        if mark:
            yield comment
            yield f"{own[number]} {comment}" if number in own and before.strip() else ""


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _shapes(text: str, names: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Of each name, the first shape between it and the next one."""
    if not names:
        return
    word = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, names))})(?!\w)")
    starts = [m for m in word.finditer(text) if not _is_in_brackets(text, m.start())]
    for i, at in enumerate(starts):
        end = starts[i + 1].start() if i + 1 < len(starts) else len(text)
        rest = text[at.end() : min(end, at.end() + _FAR)]
        rest = _ENDS.split(rest, maxsplit=1)[0]
        sizes = (_sizes(group[1]) for group in _GROUP.finditer(rest))
        found = next(filter(None, sizes), None)
        if found:
            yield at[1], found


def _is_in_brackets(text: str, at: int) -> bool:
    """Whether a name stands where sizes do: the T of `(T, B)`."""
    before = text[:at]
    opened = max(before.rfind("("), before.rfind("["))
    return opened > max(before.rfind(")"), before.rfind("]"))


def _sizes(group: str) -> tuple[str, ...]:
    """The names and numbers of sizes; none where the brackets hold something else."""
    parts = [part.strip() for part in group.split(",")]
    alone = len(parts) == 1
    if parts and not parts[-1]:  # `(N,)`
        parts, alone = parts[:-1], False
    parts = ["N" if part in ("...", "*") else part for part in parts]
    if not parts or not all(map(_SIZE.fullmatch, parts)) or all(map(_NO_SIZE.fullmatch, parts)):
        return ()
    if alone and not _ALONE.fullmatch(parts[0]):
        return ()
    return () if _is_coordinates(parts) else tuple(parts)


def _is_coordinates(parts: Sequence[str]) -> bool:
    """`(x, y, w, h)` is no shape; `(B, H, W, 3)` is one."""
    return _NO_SIZE.fullmatch(parts[0]) is not None and not parts[0].isupper()
