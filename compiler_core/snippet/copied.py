"""Python as it is copied from where it was shown: behind the prompts of a session, between the
fences of a chat or a readme, indented as a whole, with a text editor's quotes."""

import ast
import re

_PROMPTS = (">>> ", "... ")
# A prompt on a line of its own.
_BARE = (">>>", "...")
_FENCE = re.compile(r"\s*(```|~~~)")
_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d\u00a0", "''\"\" ")


def as_python(text: str, file: str) -> tuple[str, ast.Module] | None:
    """`text`, which is not valid Python, without what surrounds the code, and its syntax tree,
    whose lines and columns are those of `text`; None if it is not valid Python even so."""
    own = _unprompted(_unfenced(text.translate(_STRAIGHT).split("\n")))
    indent = min((len(x) - len(x.lstrip()) for x in own if _is_code(x)), default=0)
    plain = (x[indent:] if not x[:indent].strip() else x for x in own)
    try:
        tree = ast.parse("\n".join(plain), file)
    except (SyntaxError, RecursionError, MemoryError):
        return None
    return ("\n".join(own), _moved(tree, indent)) if tree.body else None


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _unfenced(lines: list[str]) -> list[str]:
    """What stands between fences; all lines where there is no pair of them."""
    fences = [i for i, line in enumerate(lines) if _FENCE.match(line)]
    if not fences:
        return lines
    ends = fences if len(fences) % 2 == 0 else [*fences, len(lines)]
    inside = {i for a, b in zip(ends[::2], ends[1::2], strict=True) for i in range(a + 1, b)}
    return [line if i in inside else "" for i, line in enumerate(lines)]


def _unprompted(lines: list[str]) -> list[str]:
    """What was typed at prompts, without what was answered; all lines where there is no prompt."""
    if not any(line.startswith(_PROMPTS[0]) for line in lines):
        return lines
    return [_typed(line) for line in lines]


def _typed(line: str) -> str:
    return f"    {line[4:]}" if line.startswith(_PROMPTS) and line.rstrip() not in _BARE else ""


def _moved(tree: ast.Module, columns: int) -> ast.Module:
    for node in ast.walk(tree):
        for name in ("col_offset", "end_col_offset"):
            if hasattr(node, name):
                setattr(node, name, getattr(node, name) + columns)
    return tree
