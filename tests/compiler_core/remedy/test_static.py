"""An argument whose value the program needs while it is traced, made static."""

import pytest

from compiler_core.remedy.change import Changed, Refused, RemedyRequest
from compiler_core.remedy.table import remedied
from compiler_core.remedy.text import Text
from compiler_core.report import Finding

HEAD = "import jax\nimport jax.numpy as jnp\n"


def asked(source: str, plain=("n",), texts=()) -> Changed | Refused | None:
    lines = source.splitlines()
    here = next((i for i, line in enumerate(lines, 1) if line.endswith("# here")), None)
    program = next((i for i, line in enumerate(lines, 1) if line.startswith("def f")), None)
    finding = Finding("failed", "jax", "it", line=here)
    text = Text.parse(source)
    return remedied(
        RemedyRequest(
            text, finding, "jax", "f", program, frozenset(), frozenset(plain), frozenset(texts)
        )
    )


@pytest.mark.parametrize(
    "line",
    [
        "return x.reshape(n, -1)  # here",
        "return x[:n]  # here",
        "y = jnp.zeros((n, n))  # here",
        "for i in range(n):  # here\n        x = x + 1",
        "m = n * 2\n    return jnp.arange(m)  # here",
        "if n > 2:  # here\n        x = x * 2",
        "return x * 2 if n > 2 else x  # here",
    ],
)
def test_the_argument_is_named_static(line: str) -> None:
    body = f"def f(x, n):\n    {line}\n    return x\n\nf(x, 3)\n"
    found = asked(f"{HEAD}@jax.jit\n{body}")
    assert isinstance(found, Changed), found
    decorator = '@functools.partial(jax.jit, static_argnames="n")\n'
    assert found.source == f"import functools\n{HEAD}{decorator}{body}"
    assert found.what == "`n` is static: compiled for each value"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("g = jax.jit(f)", 'g = jax.jit(f, static_argnames="n")'),
        ("g = jax.jit(f, inline=True)", 'g = jax.jit(f, inline=True, static_argnames="n")'),
        ("g = jax.jit(f, static_argnames='k')", 'g = jax.jit(f, static_argnames=("k", "n"))'),
        ("g = jax.jit(f, static_argnames=['k', 'l'])",
         'g = jax.jit(f, static_argnames=("k", "l", "n"))'),
    ],
)  # fmt: skip
def test_what_is_static_already_stays_so(before: str, after: str) -> None:
    body = "def f(x, n, k=1, l=2):\n    return x[:n]  # here\n\n"
    found = asked(f"{HEAD}{body}{before}\n")
    assert isinstance(found, Changed), found
    assert found.source == f"{HEAD}{body}{after}\n"


def test_flags_that_branches_go_by_come_with_it() -> None:
    body = "def f(x, n, mean, k):\n    y = x[:n]  # here\n    return y.mean() if mean else y * k\n"
    found = asked(f"{HEAD}{body}\ng = jax.jit(f)\n", plain=("n", "mean", "k"))
    assert isinstance(found, Changed), found
    assert found.source.endswith('jax.jit(f, static_argnames=("mean", "n"))\n')
    assert found.what == "`mean` and `n` are static: compiled for each value"


@pytest.mark.parametrize("given", ['static_argnames="how"', "static_argnums=1"])
def test_beside_a_branch_that_goes_by_what_is_static_others_are_seen(given: str) -> None:
    body = "def f(x, how, n):\n    return x.sum(n) if how == 'sum' else x.max(n)  # here\n"
    source = f"import functools\n{HEAD}@functools.partial(jax.jit, {given})\n{body}"
    found = asked(source, ("how", "n"), ("how",))
    assert isinstance(found, Changed), found
    assert found.what == "`n` is static: compiled for each value"


def test_a_text_is_static_wherever_it_is_used() -> None:
    body = "def f(x, how, n=2):\n    return x.sum() if how == 'sum' else g(x, how)\n"
    found = asked(f"{HEAD}@jax.jit\n{body}", ("how",), ("how",))
    assert isinstance(found, Changed), found
    assert '@functools.partial(jax.jit, static_argnames="how")' in found.source
    before = '@functools.partial(jax.jit, static_argnames="how")\n'
    assert asked(f"import functools\n{HEAD}{before}{body}", ("how",), ("how",)) is None


def test_where_the_names_are_computed_it_is_refused() -> None:
    source = (
        f"{HEAD}def f(x, n):\n    return x[:n]  # here\n\ng = jax.jit(f, static_argnames=names)\n"
    )
    assert isinstance(asked(source), Refused)


@pytest.mark.parametrize(
    "line",
    [
        "if x.sum() > n:  # here\n        x = x * 2",  # decided by an array too
        "if x.sum() > 0:  # here\n        x = x * 2",
        "s = x.sum()\n    if s > n:  # here\n        x = x * 2",
        "return x * 2 if x.sum() > n else x  # here",
    ],
)
def test_what_is_decided_by_an_array_is_left_to_where(line: str) -> None:
    source = f"{HEAD}@jax.jit\ndef f(x, n):\n    {line}\n    return x\n"
    found = asked(source)
    assert isinstance(found, Changed) and "jnp.where(" in found.source
    assert "static" not in found.source


def test_only_the_programs_own_arguments_are() -> None:
    body = "def g(x, n):\n    return x[:n]  # here\n\n@jax.jit\ndef f(x, n):\n    return g(x, n)\n"
    assert asked(HEAD + body) is None
