"""Statements of random programs with graph breaks, a function each, by name."""

import random

from conformance.breaks import expressions
from conformance.breaks.scope import Scope, Statement, Written, indented, late


def _of(rng: random.Random, scope: Scope, table: tuple[str, ...], names: tuple[str, ...]) -> str:
    """One of the table's expressions, of names in reach."""
    number = rng.choice([*scope.numbers, "k", str(rng.randint(0, 3))])
    return rng.choice(table).format(a=late(rng, names), b=late(rng, names), n=number)


def _exact(rng: random.Random, scope: Scope) -> Written:
    table = rng.choice((expressions.SAME, expressions.OTHER))
    text = _of(rng, scope, table, scope.exact)
    name, scope = scope.new("exact")
    return [f"{name} = {text}"], scope


def _rough(rng: random.Random, scope: Scope) -> Written:
    text = _of(rng, scope, expressions.ROUGH, scope.tensors)
    name, scope = scope.new("rough")
    return [f"{name} = {text}"], scope


def _alias(rng: random.Random, scope: Scope) -> Written:
    text = _of(rng, scope, expressions.ALIAS, scope.exact)
    name, scope = scope.new("exact")
    return [f"{name} = {text}"], scope


def _number(rng: random.Random, scope: Scope) -> Written:
    text = _of(rng, scope, expressions.NUMBER, scope.exact)
    name, scope = scope.new("numbers")
    return [f"{name} = {text}"], scope


def _changed(rng: random.Random, scope: Scope) -> Written:
    """A name gets another value of the same shape, which may be done in any block."""
    name = late(rng, scope.exact)
    number = rng.choice([*scope.numbers, "k", "2"])
    text = rng.choice(expressions.SAME).format(a=name, n=number)
    return [f"{name} = {text}"], scope


def _write(rng: random.Random, scope: Scope) -> Written:
    return [_of(rng, scope, expressions.WRITE, scope.exact)], scope


def _effect(rng: random.Random, scope: Scope) -> Written:
    return [_of(rng, scope, expressions.EFFECT, scope.exact)], scope


def _decision(rng: random.Random, scope: Scope) -> str:
    return _of(rng, scope, expressions.DECISION, scope.exact)


def _if(rng: random.Random, scope: Scope) -> Written:
    decision = _decision(rng, scope)
    body, scope = _block(rng, scope)
    other, scope = _block(rng, scope)
    otherwise = ["else:", *other] if rng.random() < 0.5 else []
    return [f"if {decision}:", *body, *otherwise], scope


def _returns(rng: random.Random, scope: Scope) -> Written:
    """An early end."""
    body, behind = _block(rng, scope)
    ending = f"    return {result(rng, scope)}"
    return [f"if {_decision(rng, scope)}:", *body, ending], scope.after(behind)


def _for(rng: random.Random, scope: Scope) -> Written:
    count = rng.choice([*scope.numbers, "2", "3"])
    decision = _decision(rng, scope)
    body, scope = _block(rng, scope)
    leaves = [f"    if {decision}:", f"        {rng.choice(('break', 'continue'))}"]
    first = leaves if rng.random() < 0.4 else []
    return [f"for _ in range({count}):", *first, *body], scope


def _while(rng: random.Random, scope: Scope) -> Written:
    decision = _decision(rng, scope)
    count, scope = scope.new("numbers")
    body, scope = _block(rng, scope)
    return [f"{count} = 0", f"while {count} < 3 and {decision}:", f"    {count} += 1", *body], scope


def _try(rng: random.Random, scope: Scope) -> Written:
    name = late(rng, scope.exact)
    body, scope = _block(rng, scope)
    other, scope = _block(rng, scope)
    last = ["finally:", "    seen.append('tried')"] if rng.random() < 0.4 else []
    caught = ["except ValueError as error:", "    seen.append(str(error))", *other]
    return ["try:", *body, f"    {name} = positive({name})", *caught, *last], scope


def _with(rng: random.Random, scope: Scope) -> Written:
    context = rng.choice(
        ("torch.no_grad()", "Around('a')", "around('b')", "contextlib.suppress(KeyError)")
    )
    body, scope = _block(rng, scope)
    return [f"with {context}:", *body], scope


def _function(rng: random.Random, scope: Scope) -> Written:
    """A closure over all names, which is called once or twice."""
    name, scope = scope.function()
    body, scope = _block(rng, scope)
    over = f"    nonlocal {', '.join((*scope.tensors, *scope.numbers))}"
    return [f"def {name}():", over, *body, *[f"{name}()"] * rng.randint(1, 2)], scope


def _trains(rng: random.Random, scope: Scope) -> Written:
    """A gradient, and what is done with it."""
    name = late(rng, scope.exact)
    loss, scope = scope.new("rough")
    body, scope = _block(rng, scope)
    between = [line.removeprefix("    ") for line in body] if rng.random() < 0.4 else []
    lines = [f"{loss} = (net({name}) * 0.5).sum()", *between, f"{loss}.backward()"]
    return [*lines, "seen.append(net.scale.grad.item())", *rng.choice(_AFTER_A_GRADIENT)], scope


_AFTER_A_GRADIENT: tuple[tuple[str, ...], ...] = (
    (),
    ("net.scale.grad = None",),
    ("with torch.no_grad():", "    net.scale.sub_(net.scale.grad.sign())"),
)


def _draws(rng: random.Random, scope: Scope) -> Written:
    name = late(rng, scope.exact)
    new, scope = scope.new("rough")
    drawn = rng.choice(("torch.rand_like({a})", "F.dropout({a}, 0.5)", "torch.randn(2, 3)"))
    return [f"{new} = {drawn.format(a=name)}"], scope


def _block(rng: random.Random, scope: Scope) -> Written:
    """One or two statements, indented; none of their names is in reach behind them."""
    if scope.inside == 2:
        raise IndexError("deep enough")
    lines: list[str] = []
    within = scope.within()
    for _ in range(rng.randint(1, 2)):
        more, within = STATEMENTS[rng.choice(_INNER)](rng, within)
        lines += more
    return indented(lines), scope.after(within)


def result(rng: random.Random, scope: Scope) -> str:
    """What is returned: one value, or several in a structure."""
    shown = [late(rng, (*scope.tensors, *scope.numbers)) for _ in range(rng.randint(1, 5))]
    if len(shown) == 1:
        return shown[0]
    kind = rng.randrange(4)
    if kind == 0:
        return "{" + ", ".join(f"{name + str(i)!r}: {name}" for i, name in enumerate(shown)) + "}"
    if kind == 1:
        return f"[{shown[0]}, ({', '.join(shown[1:])}, None), 'text']"
    return ", ".join(shown)


STATEMENTS: dict[str, Statement] = {
    "exact": _exact, "rough": _rough, "alias": _alias, "number": _number, "changed": _changed,
    "write": _write, "effect": _effect, "if": _if, "returns": _returns, "for": _for,
    "while": _while, "try": _try, "with": _with, "function": _function, "trains": _trains,
    "draws": _draws,
}  # fmt: skip
_INNER = (
    "changed",
    "changed",
    "write",
    "effect",
    "effect",
    "exact",
    "number",
    "if",
    "try",
    "with",
    "for",
    "alias",
)
