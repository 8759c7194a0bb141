"""The gallery: snippets, from files."""

import ast

import pytest

from compiler_core import inputs
from webapp.examples.gallery import SNIPPETS, gallery

NAMES = [path.stem for path in sorted(SNIPPETS.glob("*.py"))]


def test_it_works(bob):
    got = bob.get("/api/v1/examples").json()["examples"]
    assert [(e["name"], e["title"]) for e in got[:2]] == [
        ("bias-gelu", "GELU of a biased input"),
        ("elementwise-chain", "A chain of small elementwise operations"),
    ]
    assert got[0]["source"] == (SNIPPETS / "01-bias-gelu.py").read_text()


def test_both_frameworks_have_at_least_six():
    frameworks = [example.framework for example in gallery().examples]
    assert set(frameworks) == {"torch", "jax"}
    assert min(map(frameworks.count, ("torch", "jax"))) >= 6


@pytest.mark.parametrize("name", NAMES)
def test_a_snippet_says_what_it_is_and_where_its_programs_are(name):
    source = (SNIPPETS / f"{name}.py").read_text()
    assert ast.get_docstring(ast.parse(source))
    given = [line.removeprefix("# inputs:") for line in source.splitlines() if "# inputs:" in line]
    assert all(inputs.calls(text) for text in given)
    ways = (given, "torch.compile" in source, "jax.jit" in source, "get_init_inputs" in source)
    assert sum(map(bool, ways)) == 1
