"""Random programs with graph breaks: the same at every run, held against Python call for call."""

import pytest

from conformance import judge_breaks, random_breaks
from conformance.breaks.outcome import difference
from conformance.breaks.statements import STATEMENTS
from conformance.judge_breaks import judge, outcomes
from conformance.sample import BreakSample
from tests.conformance.broken import written

pytestmark = [pytest.mark.cpu, pytest.mark.filterwarnings("ignore")]


def test_a_name_stands_for_its_programs():
    texts = [[s.program.source for s in random_breaks.samples("if", "explored")] for _ in range(2)]
    assert texts[0] == texts[1] and len(set(texts[0])) > 10


@pytest.mark.parametrize("kind", STATEMENTS)
def test_every_kind_of_statement_is_in_some_program(kind):
    assert list(random_breaks.samples(kind, "torch.compile"))


BREAKS = written("""
    v0 = torch.relu(x)
    print(v0.sum().item())
    seen.append(k)
    v1 = y[1:]
    if v0.sum() > 0:
        v1.add_(1)
    return v0 * 2, v1
""")


@pytest.mark.parametrize("way", random_breaks.VARIANTS)
def test_a_program_with_breaks_is_right(way):
    assert judge(BreakSample("here", BREAKS, way)).kind in ("native", "library")


def twice(f):
    def again(x, y, k):
        f(x.clone(), y.clone(), k)
        return f(x, y, k)

    return again


def other(change):
    return lambda f: lambda x, y, k: change(f(x, y, k))


@pytest.mark.parametrize(
    ("compiled", "said"),
    [
        (twice, "printed"),
        (other(lambda r: r[0]), "gave"),
        (other(lambda r: (r[0] + 1, r[1])), "at ['result'][0]: Tensor"),
        (other(lambda r: (r[0], r[1].clone())), "share their memory"),
        (lambda f: lambda x, y, k: f(x, y.clone(), k), "at ['left'][0][1]: Tensor"),
    ],
    ids=["a second run", "another result", "other numbers", "a copy", "a write that is lost"],
)
def test_what_differs_is_seen(compiled, said):
    own, found = (outcomes(BREAKS, c)[0] for c in (lambda f: f, compiled))
    assert said in difference(found, own) and difference(own, own) == ""


def test_what_torchs_own_tracer_makes_of_a_program_is_no_doing_of_the_cores(monkeypatch):
    monkeypatch.setattr(judge_breaks, "_by", lambda backend, dynamic: twice)
    assert judge(BreakSample("here", BREAKS, "torch.compile")).kind == "invalid"
