"""Lines of a notebook that are commands to IPython and no Python: `%matplotlib inline`,
`!pip install einops`, `%timeit f(x)`."""

import ast
import re

# A command that times a statement, with its own options: the statement is the snippet's.
_TIMES = re.compile(r"%%?(?:time|timeit|prun)(?: +-\w+(?: *\d+)?)* +(?=\S)")
_COMMANDS = ("%", "!")
# A statement that does nothing and ends before the rest of the line.
_NOTHING = "0;"


def without_commands(text: str, error: SyntaxError) -> tuple[str, tuple[int, ...]]:
    """`text`, which is not Python by `error`, without its commands, and the lines of these, from 1;
    code that they time is kept. Lines and columns do not change. Only what the parser stops at is
    taken for a command, since an expression may go on with `%` in its next line. The result may
    still not be Python."""
    lines, found = text.split("\n"), list[int]()
    fault: SyntaxError | None = error
    while fault is not None and (at := _command(lines, fault)) is not None:
        lines[at - 1] = _python(lines[at - 1])
        found.append(at)
        fault = _fault("\n".join(lines))
    return "\n".join(lines), tuple(found)


def _command(lines: list[str], fault: SyntaxError) -> int | None:
    """The line that a parser stopped at, if it is a command; after a `def` or an `if` that is the
    first line within."""
    at = fault.lineno or 0
    is_one = 0 < at <= len(lines) and lines[at - 1].lstrip().startswith(_COMMANDS)
    return at if is_one else None


def _python(line: str) -> str:
    command = line.lstrip()
    indent = line[: len(line) - len(command)]
    timed = _TIMES.match(command)
    if timed is None:
        return indent + _NOTHING
    return indent + _NOTHING.ljust(timed.end()) + command[timed.end() :]


def _fault(text: str) -> SyntaxError | None:
    try:
        ast.parse(text)
    except SyntaxError as error:
        return error
    return None
