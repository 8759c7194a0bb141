"""The gallery: snippets, from files, and what is said of them."""

import ast
import re
from itertools import groupby

import pytest

from compiler_core import inputs
from webapp.examples.gallery import STABLEHLO, gallery, line_of, name_of, snippets

FILES = {name_of(path): path for path in snippets()}
EXAMPLES = gallery().examples
REGISTRY = "frontend/src/panes/registry.tsx"
LEAST = 40


def test_it_works(bob):
    got = bob.get("/api/v1/examples").json()["examples"]
    assert [(e["name"], e["title"], e["chapter"]) for e in got[:2]] == [
        ("elementwise-chain", "A chain of small elementwise operations", "What eager pays"),
        ("bias-gelu", "GELU of a biased input", "What eager pays"),
    ]
    assert got[1]["source"] == FILES["bias-gelu"].read_text()


def test_every_file_stands_in_one_chapter():
    assert sorted(example.name for example in EXAMPLES) == sorted(FILES)
    assert len(EXAMPLES) >= LEAST
    titles = [title for title, _ in groupby(example.chapter for example in EXAMPLES)]
    assert len(set(titles)) == len(titles)


def test_all_kinds_of_programs_are_there():
    frameworks = [example.framework for example in EXAMPLES]
    assert set(frameworks) == {"torch", "jax", "stablehlo"}
    assert min(map(frameworks.count, ("torch", "jax"))) >= 6


def test_each_says_three_sentences_what_to_look_at_where_and_what_to_try(request):
    panes = re.findall(
        r'id: "(\w+)"|text\("(\w+)"', (request.config.rootpath / REGISTRY).read_text()
    )
    known = {name for pair in panes for name in pair if name}
    for example in EXAMPLES:
        assert len(re.split(r"(?<=[.?!]) ", example.says)) == 3, example.name
        assert example.pane in known, example.name
        assert all(len(text) > 20 and text[-1] in ".?" for text in (example.look, example.attempt))


def test_each_has_a_line_that_is_chosen_once_it_has_been_run():
    for example in EXAMPLES:
        assert example.line is not None, example.name
        assert example.source.splitlines()[example.line - 1].strip(), example.name


def test_a_line_is_named_by_what_stands_in_it_alone():
    assert line_of("b", "a\nb\n") == 2
    assert line_of("", "a\n") is None
    for text in ("a", "c"):
        with pytest.raises(ValueError):
            line_of(text, "a\na\n")


def test_what_is_to_be_looked_at_in_the_mesh_is_looked_for():
    shown = [example.insides for example in EXAMPLES if example.pane == "mesh"]
    assert shown and all("sharding" in insides for insides in shown)


@pytest.mark.parametrize("name", [name for name in FILES if FILES[name].suffix != STABLEHLO])
def test_a_snippet_says_what_it_is_and_where_its_programs_are(name):
    source = FILES[name].read_text()
    assert ast.get_docstring(ast.parse(source))
    given = [line.removeprefix("# inputs:") for line in source.splitlines() if "# inputs:" in line]
    assert all(inputs.calls(text) for text in given)
    ways = ("torch.compile", "jax.jit", "get_init_inputs", "torch.export")
    assert bool(given) + sum(way in source for way in ways) == 1
