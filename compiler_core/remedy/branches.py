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
_READ = "a value that a branch computes is read by its next statement, or by the condition"
_BOTH = "both branches are computed, and where() selects"
# The text that a branch assigns to each name; "" is the name of what it returns.
_Branch = dict[str, str]


def branches(request: RemedyRequest) -> Changed | Refused | None:
    """Rewrites the `if` statement or the conditional expression at the finding's line."""
    text, line = request.text, request.finding.line
    for node in text.at(line):
        if isinstance(node, ast.If | ast.IfExp) and not _is_in_a_branch(request, node):
            where, imports = text.named(_WHERE[request.framework])
            choose = f"{where}.where"
            if isinstance(node, ast.IfExp):
                edits = _expression(text, node, choose)
            else:
                edits = _statement(text, node, choose)
            if isinstance(edits, Refused):
                return edits
            return Changed(text.edited([*edits, *imports]), _BOTH)
    return None


def _is_in_a_branch(request: RemedyRequest, node: ast.If | ast.IfExp) -> bool:
    """Whether the finding's place is within what is chosen: not of the condition then."""
    text, finding = request.text, request.finding
    if finding.line is None or finding.column is None:
        return False
    at = text.offset(finding.line, finding.column)
    parts = [node.body, node.orelse] if isinstance(node, ast.IfExp) else [*node.body, *node.orelse]
    return any(begin <= at < end for begin, end in map(text.span, parts))


def _expression(text: Text, node: ast.IfExp, where: str) -> list[Edit] | Refused:
    test, first, second = condition_of(text, node.test), node.body, node.orelse
    if test is None:
        return _unclear(node.test)
    a, b = (first, second) if test[1] else (second, first)
    return [text.replace(node, f"{where}({test[0]}, {text.of(a)}, {text.of(b)})")]


def _statement(text: Text, node: ast.If, where: str) -> list[Edit] | Refused:
    node = _chain(text, node)
    rest = text.following(node)
    falls_through = not node.orelse and _returned(node.body) is not None
    is_end = falls_through and len(rest) == 1
    found = _chosen(text, node, rest if is_end else node.orelse, where)
    if isinstance(found, Refused):
        return found
    if _reads_earlier(found):
        return Refused(_READ)
    lines = [f"{name} = {value}" if name else f"return {value}" for name, value in found.items()]
    edits = [text.replace(node, f"\n{text.indent(node)}".join(lines))]
    return [*edits, text.without(rest[0])] if is_end else edits


def _chain(text: Text, node: ast.If) -> ast.If:
    """The `if` that an `elif` belongs to."""
    above = text.parent(node)
    is_elif = isinstance(above, ast.If) and text.of(node).startswith("elif")
    return _chain(text, above) if is_elif and isinstance(above, ast.If) else node


def _chosen(text: Text, node: ast.If, orelse: Sequence[ast.stmt], where: str) -> _Branch | Refused:
    """What an `if` assigns or returns, each chosen by `where` from what its branches do."""
    test = condition_of(text, node.test)
    if test is None:
        return _unclear(node.test)
    body, other = _branch(text, node.body, where), _branch(text, orelse, where)
    if isinstance(body, Refused) or isinstance(other, Refused):
        return body if isinstance(body, Refused) else other
    if "" in body.keys() ^ other.keys():
        return Refused(_ONE_NAME)
    pairs = {name: (body.get(name, name), other.get(name, name)) for name in [*body, *other]}
    order = slice(None, None, 1 if test[1] else -1)
    return {name: f"{where}({test[0]}, {', '.join(pair[order])})" for name, pair in pairs.items()}


def _reads_earlier(found: _Branch) -> bool:
    """Whether a value reads a name that has its new value by then."""
    names = list(found)
    reads = [names_in(ast.parse(f"({value})")) for value in found.values()]
    return any(read & set(names[:n]) for n, read in enumerate(reads))


def condition_of(text: Text, test: ast.expr) -> tuple[str, bool] | None:
    """The condition as the text of a tensor expression, and False if it is to be negated; None for
    `and`, `or` and chained comparisons, which need a Python bool."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = condition_of(text, test.operand)
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


def _branch(text: Text, block: Sequence[ast.stmt], where: str) -> _Branch | Refused:
    """What a block assigns or returns, a further `if` in it by `where`."""
    if len(block) == 1 and isinstance(block[0], ast.If):
        return _chosen(text, block[0], block[0].orelse, where)
    found: _Branch = {}
    for statement in block:
        if isinstance(statement, ast.Pass):
            continue
        name = _given(statement)
        if name is None or name in found or "" in found:
            return Refused(_ONE_NAME)
        found[name] = _value(text, statement)
    return Refused(_READ) if _reads_earlier(found) else found


def _given(statement: ast.stmt) -> str | None:
    """The one name that a statement gives one value, "" of a return of one; None of any other."""
    if not isinstance(statement, ast.Return | ast.Assign | ast.AugAssign):
        return None
    if statement.value is None or isinstance(statement.value, ast.Tuple):
        return None
    if isinstance(statement, ast.Return):
        return ""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    target = targets[0] if len(targets) == 1 else None
    return target.id if isinstance(target, ast.Name) else None


def _value(text: Text, statement: ast.stmt) -> str:
    if isinstance(statement, ast.AugAssign):
        begin, end = text.span(statement.target)[1], text.span(statement.value)[0]
        operator = text.text[begin:end].strip().removesuffix("=")
        return f"{text.of(statement.target)} {operator} {text.operand(statement.value)}"
    assert isinstance(statement, ast.Assign | ast.Return) and statement.value is not None
    return text.of(statement.value)


def _returned(block: Sequence[ast.stmt]) -> ast.Return | None:
    return block[-1] if block and isinstance(block[-1], ast.Return) else None
