"""Changes that a snippet has had by the time that somebody pastes it: other names and hints, no
defaults, calls that were not copied, a decorator, another place to stand in, lines that were lost.
Each changes a syntax tree, or the text, and says whether it could."""

import ast
import random
from collections.abc import Callable, Iterator

Function = ast.FunctionDef
Change = Callable[[random.Random, ast.Module], bool]
_NAMES = ("x", "data", "inputs", "q", "tokens", "images", "h", "obs", "self_", "state", "w", "n")
_HINTS = ("torch.Tensor", "jax.Array", "'Tensor'", "int", "float", "list", "'Int[Array, \"b n\"]'",
          "None | object", "np.ndarray", "dict", "bool", "str")  # fmt: skip


def _functions(tree: ast.Module) -> list[Function]:
    return [x for x in ast.walk(tree) if isinstance(x, Function)]


def _of_module(tree: ast.Module) -> list[Function]:
    return [x for x in tree.body if isinstance(x, Function)]


def _arguments(function: Function) -> list[ast.arg]:
    given = function.args
    every = (*given.posonlyargs, *given.args, *given.kwonlyargs)
    return [x for x in every if x.arg not in ("self", "cls")]


def _renamed(rng: random.Random, tree: ast.Module) -> bool:
    """An argument, in its function and wherever it is given by name."""
    function = rng.choice(_functions(tree))
    old, new = rng.choice(_arguments(function)), rng.choice(_NAMES)
    names = {x.id for x in ast.walk(function) if isinstance(x, ast.Name)}
    if new in names | {x.arg for x in _arguments(function)}:
        return False
    before = old.arg
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == before:
            node.id = new
        if isinstance(node, ast.arg) and node.arg == before:
            node.arg = new
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and _named(call.func) == function.name:
            for given in call.keywords:
                given.arg = new if given.arg == before else given.arg
    return True


def _named(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _hinted(rng: random.Random, tree: ast.Module) -> bool:
    argument = rng.choice(_arguments(rng.choice(_functions(tree))))
    argument.annotation = _expression(rng.choice(_HINTS)) if rng.random() < 0.7 else None
    return True


def _unhinted(rng: random.Random, tree: ast.Module) -> bool:
    """No function has hints."""
    for function in _functions(tree):
        function.returns = None
        for argument in _arguments(function):
            argument.annotation = None
    return True


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _without_defaults(rng: random.Random, tree: ast.Module) -> bool:
    having = [f for f in _functions(tree) if f.args.defaults]
    rng.choice(having).args.defaults = []
    return True


def _optional(rng: random.Random, tree: ast.Module) -> bool:
    """A last argument may be left out, and is None then."""
    function = rng.choice(_functions(tree))
    if function.args.defaults or not _arguments(function):
        return False
    function.args.defaults = [ast.Constant(None)]
    return True


def _by_name_alone(rng: random.Random, tree: ast.Module) -> bool:
    function = rng.choice([f for f in _functions(tree) if len(f.args.args) > 1])
    if function.args.defaults or function.args.kwonlyargs:
        return False
    function.args.kwonlyargs = [function.args.args.pop()]
    function.args.kw_defaults = [None]
    return True


def _uncalled(rng: random.Random, tree: ast.Module) -> bool:
    """Nothing of what stands behind the last definition."""
    last = max(i for i, x in enumerate(tree.body) if isinstance(x, Function | ast.ClassDef))
    if last + 1 == len(tree.body):
        return False
    del tree.body[last + 1 :]
    return True


def _cut(rng: random.Random, tree: ast.Module) -> bool:
    """The last statements are missing."""
    del tree.body[rng.randint(1, len(tree.body) - 1) :]
    return True


def _line_lost(rng: random.Random, tree: ast.Module) -> bool:
    """A statement is missing, wherever there are others beside it."""
    bodies: list[list[ast.stmt]] = [
        x.body
        for x in ast.walk(tree)
        if isinstance(x, ast.Module | Function | ast.ClassDef | ast.For)
    ]
    body = rng.choice([b for b in bodies if len(b) > 1])
    del body[rng.randrange(len(body))]
    return True


def _decorated(rng: random.Random, tree: ast.Module) -> bool:
    jax = any("jax" in (a.name for a in x.names) for x in tree.body if isinstance(x, ast.Import))
    torch = ("torch.compile", "torch.no_grad()", "torch.compile(fullgraph=True)",
             "torch.compile(dynamic=True)", "torch.jit.script")  # fmt: skip
    text = rng.choice(("jax.jit", "jax.vmap", "jax.checkpoint", "jax.grad") if jax else torch)
    rng.choice(_functions(tree)).decorator_list.insert(0, _expression(text))
    return True


def _undecorated(rng: random.Random, tree: ast.Module) -> bool:
    having = [f for f in _functions(tree) if f.decorator_list]
    rng.choice(having).decorator_list = []
    return True


def _as_module(rng: random.Random, tree: ast.Module) -> bool:
    """A function of the snippet's is the forward pass of a module."""
    function = rng.choice([f for f in _of_module(tree) if not f.decorator_list])
    at, name = tree.body.index(function), function.name
    function.name = "forward"
    function.args.args.insert(0, ast.arg("self"))
    made = ast.ClassDef(
        f"{name.title()}Block", [_expression("torch.nn.Module")], [], [function], []
    )
    tree.body[at : at + 1] = [made, *ast.parse(f"{name} = {made.name}()").body]
    return True


def _in_main(rng: random.Random, tree: ast.Module) -> bool:
    """What is called stands in a function `main`, which is called or not."""
    first = next(i for i, x in enumerate(tree.body) if isinstance(x, ast.Expr | ast.For | ast.With))
    body = tree.body[first:]
    main = ast.parse("def main():\n    pass").body[0]
    assert isinstance(main, Function)
    main.body = body
    called = ("main()", "if __name__ == '__main__':\n    main()", "pass")
    tree.body[first:] = [main, *ast.parse(rng.choice(called)).body]
    return True


def _in_function(rng: random.Random, tree: ast.Module) -> bool:
    """A function is made by another."""
    function = rng.choice([f for f in _of_module(tree) if not f.decorator_list])
    at, name = tree.body.index(function), function.name
    made = ast.parse(f"def make_{name}():\n    return {name}\n{name} = make_{name}()").body
    assert isinstance(made[0], Function)
    made[0].body.insert(0, function)
    tree.body[at : at + 1] = made
    return True


def _as_lambda(rng: random.Random, tree: ast.Module) -> bool:
    function = rng.choice([f for f in _of_module(tree) if not f.decorator_list])
    name = function.name
    at = tree.body.index(function)
    tree.body[at + 1 : at + 1] = ast.parse(f"{name} = (lambda f: lambda *a: f(*a))({name})").body
    return True


def _number(rng: random.Random, tree: ast.Module) -> bool:
    """A whole number is another one."""
    numbers = [x for x in ast.walk(tree) if isinstance(x, ast.Constant) and type(x.value) is int]
    rng.choice(numbers).value = rng.choice([0, 1, 2, 3, 5, 7, 16, 33])
    return True


def _without_import(rng: random.Random, tree: ast.Module) -> bool:
    imports = [x for x in tree.body if isinstance(x, ast.Import | ast.ImportFrom)]
    tree.body.remove(rng.choice(imports))
    return True


CHANGES: dict[str, Change] = {
    "renamed": _renamed, "hinted": _hinted, "unhinted": _unhinted,
    "without defaults": _without_defaults, "optional": _optional, "by name alone": _by_name_alone,
    "uncalled": _uncalled, "cut": _cut, "line lost": _line_lost, "decorated": _decorated,
    "undecorated": _undecorated, "as module": _as_module, "in main": _in_main,
    "in function": _in_function, "as lambda": _as_lambda, "number": _number,
    "without import": _without_import,
}  # fmt: skip


# What leaves most programs running.
_OFTEN = (
    "renamed", "hinted", "unhinted", "without defaults", "uncalled", "decorated", "undecorated",
    "as module", "in main", "in function", "as lambda", "renamed", "uncalled", "unhinted",
)  # fmt: skip


def changed(rng: random.Random, text: str, others: Callable[[random.Random], str]) -> str:
    """A snippet after one to three changes of its tree, and now and then one of its text."""
    tree = ast.parse(text)
    for _ in range(rng.randint(1, 3)):
        _tried(rng, tree)
    shown = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    if rng.random() < 0.15:
        shown = rng.choice(list(_texts(rng, shown, others)))
    return shown


def _tried(rng: random.Random, tree: ast.Module) -> None:
    for _ in range(5):
        try:
            if CHANGES[rng.choice((*_OFTEN, *CHANGES))](rng, tree):
                return
        except (IndexError, ValueError, StopIteration):  # there is nothing to be changed so
            continue


def _texts(rng: random.Random, text: str, others: Callable[[random.Random], str]) -> Iterator[str]:
    """How a text is changed on its way: from a terminal, a chat, beside another, in part."""
    lines = text.splitlines()
    yield "\n".join(f">>> {x}" if x[:1].strip() else f"... {x}" for x in lines)
    yield f"```python\n{text}```\n"
    yield "\n".join(f"    {x}" for x in lines)
    yield f"{text}\n{others(rng)}"
    yield "\n".join(lines[: rng.randint(1, len(lines))])
    yield "\n".join(lines[rng.randint(1, max(1, len(lines) // 2)) :])
    yield text.replace("'", "\u2019")
    yield "\n".join(f"{i:3} {x}" for i, x in enumerate(lines, 1))
