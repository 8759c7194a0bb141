"""Snippets changed by chance: the same at every run, of which it is asked that they end well."""

import ast
import random

import pytest

from compiler_core import report
from compiler_core.errors import REPORT_IT
from conformance import judge_pasted, pasted_by_chance, snippets
from conformance.judge_pasted import judge
from conformance.paste_changes import CHANGES, changed
from conformance.sample import PastedSample

pytestmark = pytest.mark.cpu


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_made_to_some_snippet_and_leaves_python(change):
    made = 0
    for name in snippets.names()[::8]:
        tree = ast.parse(snippets.text(name))
        before = ast.unparse(tree)
        try:
            if not CHANGES[change](random.Random(name), tree):
                continue
        except (IndexError, ValueError, StopIteration):
            continue
        after = ast.unparse(ast.fix_missing_locations(tree))
        ast.parse(after)
        made += after != before
    assert made > 2


def test_a_name_stands_for_its_texts():
    texts = [[s.text for s in pasted_by_chance.samples("torch_gcn", "torch")] for _ in range(2)]
    assert texts[0] == texts[1] and len(set(texts[0])) == pasted_by_chance.OF


def test_a_text_may_come_with_another_snippet():
    texts = [changed(random.Random(n), "x = 1\n", lambda rng: "other = 2") for n in range(200)]
    assert any("other" in text for text in texts)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("import torch\n\ndef f(x: torch.Tensor):\n    return x * 2\n", "native"),
        ("import torch\n\ndef f(x):\n    return y * 2\n\nf(torch.ones(2))\n", "refused"),
        ("def f(:\n", "refused"),
    ],
)
def test_what_became_of_a_run(text, kind):
    assert judge(PastedSample("here", text)).kind == kind


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (report.Failure("capture", "it failed", remedy=REPORT_IT), "a fault of ours"),
        (report.Failure("capture", "FakeTensor has no numbers"), "'FakeTensor' in"),
        (report.Failure("capture", " "), "an empty sentence"),
        (report.Failure("capture", "much " * 200), "long"),
    ],
)
def test_what_nobody_should_read_is_a_fault(failure, said, monkeypatch):
    def fails(text, options, emit):
        emit(report.SnippetFailed(failure))

    monkeypatch.setattr(judge_pasted, "explore", fails)
    verdict = judge(PastedSample("here", ""))
    assert verdict.kind == "fault" and said in verdict.reason


def test_a_run_of_which_nothing_is_said_is_a_fault(monkeypatch):
    monkeypatch.setattr(judge_pasted, "explore", lambda text, options, emit: None)
    assert judge(PastedSample("here", "")).kind == "fault"
