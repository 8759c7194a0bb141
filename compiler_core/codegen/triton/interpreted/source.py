"""Functions as Triton's interpreter calls them, from one parsing of their file: it tokenizes the
text of each function twice, and parses it by itself."""

import ast
import linecache
from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import Any


def read_once() -> None:
    """Changes Triton's interpreter, for the rest of the process, to parse each function's file
    once."""
    from triton.runtime.interpreter import FunctionRewriter

    FunctionRewriter.rewrite_ast = _rewritten(FunctionRewriter.rewrite_ast)


def _rewritten(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    from triton.runtime import interpreter

    def rewrite(self: Any) -> Any:
        name, file = self.fn.__name__, self.fn.__code__.co_filename
        code = _code("".join(linecache.getlines(file)), file, name)
        if code is None:
            return original(self)
        known = self.fn.__globals__
        for key, value in vars(interpreter).items():
            known.setdefault(key, value)
        own: dict[str, Any] = dict(self.kwargs)
        exec(code, known, own)
        return own[name]

    return rewrite


@lru_cache(maxsize=512)
def _code(text: str, file: str, name: str) -> CodeType | None:
    """What defines the function `name` without its decorators; None where the file defines none, or
    several, at its top."""
    from triton.runtime.interpreter import ASTTransformer

    found = [
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    if len(found) != 1:
        return None
    found[0].decorator_list.clear()
    changed = ASTTransformer().visit(ast.Module([found[0]], []))
    return compile(ast.fix_missing_locations(changed), file, "exec")
