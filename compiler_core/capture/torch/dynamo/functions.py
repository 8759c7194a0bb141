"""The functions of a snippet, as its source has them."""

import ast
import linecache

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(file: str) -> list[Function]:
    """All functions of a text, also those within others; none if it is no Python."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return []
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def innermost(file: str, line: int) -> Function | None:
    """The innermost function around `line`; None outside of functions."""
    around = [f for f in functions(file) if f.lineno <= line <= (f.end_lineno or f.lineno)]
    return max(around, key=lambda f: f.lineno, default=None)


def end_of_function(file: str, line: int) -> int:
    """The last line of the innermost function around `line`; `line` itself outside of functions."""
    function = innermost(file, line)
    return line if function is None else function.end_lineno or line
