"""An `if` on a tensor's value, rewritten so that both branches are computed and `where` selects."""

import ast
from collections.abc import Sequence

from compiler_core.remedy.change import Changed, Refused, RemedyRequest
from compiler_core.remedy.numbers import value_of
from compiler_core.remedy.text import Edit, Text, names_in
from compiler_core.report import Framework

_WHERE: dict[Framework, str] = {"torch": "torch", "jax": "jax.numpy"}
_ONE_NAME = "the two branches do more than give the same names a value, or return one"
_JOINED = "the condition joins several by `and` or `or`: write it with & and | first"
_SEVERAL = "the condition compares several values in a row: write it with & first"
_BOTH = "both branches are computed, and where() selects"
# The text that a branch assigns to each name; "" is the name of what it returns.
_Branch = dict[str, str]


def branches(request: RemedyRequest) -> Changed | Refused | None:
    """Rewrites the `if` statement or the conditional expression at the finding's line."""
    text, line = request.text, request.finding.line
    for node in text.at(line):
        if isinstance(node, ast.If | ast.IfExp):
            where, imports = text.named(_WHERE[request.framework])
            choose = f"{where}.where"
            if isinstance(node, ast.IfExp):
                edits = _expression(text, node, choose)
            else:
                edits = _statement(text, node, choose)
            if isinstance(edits, Refused):
                return edits
            return Changed(text.edited([*edits, *imports]), _BOTH)
    if any(isinstance(node, ast.While) for node in text.at(line)):
        return Refused("how often a while loop runs is decided by values: torch.while_loop or "
                       "jax.lax.while_loop takes its body as a function")  # fmt: skip
    return None


def _expression(text: Text, node: ast.IfExp, where: str) -> list[Edit] | Refused:
    test, first, second = _condition(text, node.test), node.body, node.orelse
    if test is None:
        return _unclear(node.test)
    a, b = (first, second) if test[1] else (second, first)
    return [text.replace(node, f"{where}({test[0]}, {text.of(a)}, {text.of(b)})")]


def _statement(text: Text, node: ast.If, where: str) -> list[Edit] | Refused:
    test = _condition(text, node.test)
    if test is None:
        return _unclear(node.test)
    rest = text.following(node)
    falls_through = not node.orelse and _returned(node.body) is not None
    is_end = falls_through and len(rest) == 1
    body = _branch(text, node.body)
    orelse = _branch(text, rest if is_end else node.orelse)
    if body is None or orelse is None or (not is_end and "" in (body.keys() ^ orelse.keys())):
        return Refused(_ONE_NAME)
    names = list(dict.fromkeys([*body, *orelse]))
    if _read_each_other(text, node, names):
        return Refused("a value that a branch computes is read by its next statement")
    indent = text.indent(node)
    lines = []
    for name in names:
        pair = body.get(name, name), orelse.get(name, name)
        a, b = pair if test[1] else pair[::-1]
        begin = f"{name} = " if name else "return "
        lines.append(f"{begin}{where}({test[0]}, {a}, {b})")
    edits = [text.replace(node, f"\n{indent}".join(lines))]
    return [*edits, text.without(rest[0])] if is_end else edits


def _condition(text: Text, test: ast.expr) -> tuple[str, bool] | None:
    """The condition as the text of a tensor expression, and False if it is to be negated; None for
    `and`, `or` and chained comparisons, which need a Python bool."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _condition(text, test.operand)
        return None if inner is None else (inner[0], not inner[1])
    if isinstance(test, ast.BoolOp) or (isinstance(test, ast.Compare) and len(test.ops) > 1):
        return None
    if isinstance(test, ast.Compare):
        sides = [text.operand(value_of(x)) for x in (test.left, *test.comparators)]
        begin, end = text.span(test.left)[1], text.span(test.comparators[0])[0]
        return f"{sides[0]} {text.text[begin:end].strip(' ()')} {sides[1]}", True
    return text.of(value_of(test)), True


def _unclear(test: ast.expr) -> Refused:
    return Refused(_JOINED if isinstance(test, ast.BoolOp) else _SEVERAL)


def _branch(text: Text, block: Sequence[ast.stmt]) -> _Branch | None:
    """What a block assigns or returns; None if it does anything else."""
    found: _Branch = {}
    for statement in block:
        if isinstance(statement, ast.Return) and statement.value is not None and not found:
            if isinstance(statement.value, ast.Tuple):
                return None
            found[""] = text.of(statement.value)
        elif isinstance(statement, ast.Assign | ast.AugAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            (target,) = targets if len(targets) == 1 else (None,)
            if not isinstance(target, ast.Name) or target.id in found:
                return None
            found[target.id] = _assigned(text, statement)
        elif not isinstance(statement, ast.Pass):
            return None
    return found


def _assigned(text: Text, statement: ast.Assign | ast.AugAssign) -> str:
    if isinstance(statement, ast.Assign):
        return text.of(statement.value)
    begin, end = text.span(statement.target)[1], text.span(statement.value)[0]
    operator = text.text[begin:end].strip().removesuffix("=")
    return f"{text.of(statement.target)} {operator} {text.operand(statement.value)}"


def _returned(block: Sequence[ast.stmt]) -> ast.Return | None:
    return block[-1] if block and isinstance(block[-1], ast.Return) else None


def _read_each_other(text: Text, node: ast.If, names: Sequence[str]) -> bool:
    """Whether an assignment reads a name that an earlier one in the same branch assigns."""
    reads = [
        (set(names[: names.index(t.id)]), names_in(s.value))
        for block in (node.body, node.orelse)
        for s in block
        if isinstance(s, ast.Assign | ast.AugAssign)
        for t in (s.targets if isinstance(s, ast.Assign) else [s.target])
        if isinstance(t, ast.Name)
    ]
    return any(before & read for before, read in reads)
