"""Two products with a softmax between them: what is one step, what is not, and why."""

import pytest

from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.plan import plan
from compiler_core.plan.attention.step import Attention
from compiler_core.plan.build import build_plan, values_of
from tests.compiler_core import attentions, symbolic_attentions
from tests.compiler_core.attentions import BY_HAND, CAUSAL, PLAIN, heads, torch_attention
from tests.compiler_core.plans import ON_CPU, ON_GPU


def plan_of(graph, on=ON_CPU) -> plan.Plan:
    return build_plan(fuse(values_of(graph), cost.CPU if on is ON_CPU else cost.GPU), on)


def attention_of(graph, on=ON_CPU) -> Attention:
    """The one step of the plan."""
    (launch,) = plan_of(graph, on).launches
    assert isinstance(launch.step, Attention)
    return launch.step


@pytest.mark.parametrize("on", [ON_CPU, ON_GPU], ids=["cpu", "gpu"])
@pytest.mark.parametrize("name", attentions.CASES)
def test_either_framework_and_any_layout_is_one_step_of_the_program(name, on):
    graph = attentions.case(name)
    step = attention_of(graph, on)
    assert {b.name for b in step.inputs} <= set(plan_of(graph, on).inputs)
    computing = ("dot_general", "reduce", "exponential", "divide")
    found = {o for n in graph.computed if n.op in computing for o in n.origins}
    assert found <= set(step.origins)


def test_both_ways_are_shown_with_their_cost_and_what_one_saves():
    (launch,) = plan_of(torch_attention(PLAIN, *heads(512, 512, 64))).launches
    one, apart = launch.candidates
    assert (one.strategy, one.chosen, apart.strategy) == ("attention", True, "apart")
    assert one.cost_us < apart.cost_us
    assert "6.00 MiB of scores" in one.reason


def test_where_the_products_apart_are_cheaper_the_first_shows_what_one_kernel_costs():
    launches = plan_of(torch_attention(BY_HAND, (8, 128), (2048, 128), (2048, 128))).launches
    assert [x.step.kind for x in launches] == ["matmul", "row", "matmul"]
    *own, tiles, rows = launches[0].candidates
    apart_us = sum(x.cost_us for x in launches)
    for whole in (tiles, rows):
        assert whole.strategy == "attention" and not whole.chosen and apart_us < whole.cost_us
        assert whole.reason.endswith(f": {apart_us:.1f} us")
    assert [c.strategy for c in own if c.chosen] == [launches[0].schedule.strategy]


@pytest.mark.parametrize(("rows", "at_once"), [(1, 1), (64, 64)])
def test_few_rows_go_one_at_a_time_and_many_in_tiles(rows, at_once):
    (launch,) = plan_of(torch_attention(PLAIN, *heads(rows, 512, 64))).launches
    (chosen,) = (c for c in launch.candidates if c.chosen)
    assert chosen.parameters["rows"] == at_once == launch.schedule.parameters["rows"]


def test_a_kernel_too_long_for_the_cache_is_refused_with_the_reason():
    first, *_ = plan_of(torch_attention(BY_HAND, *heads(64, 64, 600))).launches
    refused = next(c for c in first.candidates if c.strategy == "attention")
    assert refused.cost_us is None and "600" in refused.reason


@pytest.mark.parametrize(
    ("text", "reach"),
    [
        ("torch.tril(x)", 0),
        ("torch.tril(x, 3)", 3),
        ("~torch.triu(x, 1)", 0),
        ("torch.tril(x) & (torch.arange(90) < 50)", 0),
        ("torch.triu(x)", None),
        ("torch.ones_like(x)", None),
    ],
)
def test_what_a_mask_hides_is_read_from_its_text(text, reach):
    body = f"""x = torch.ones(80, 90, dtype=torch.bool)
    s = (q @ k.mT).masked_fill(~({text}), float("-inf"))
    return torch.softmax(s, -1) @ v"""
    assert attention_of(torch_attention(body, *heads(80, 90, 16))).whole.reach == reach


def test_a_finite_fill_that_is_all_that_a_row_has_hides_nothing():
    body = """seen = torch.tril(torch.ones(80, 90, dtype=torch.bool), -1)
    s = torch.where(seen, q @ k.mT, {fill})
    return torch.softmax(s, -1) @ v"""
    for fill, reach in (("-3e38", None), ("-1e9", None), ("float('-inf')", -1)):
        graph = torch_attention(body.format(fill=fill), *heads(80, 90, 16))
        assert attention_of(graph).whole.reach == reach


def test_a_causal_mask_halves_the_work():
    whole, half = (attention_of(torch_attention(x, *heads(512, 512, 64))) for x in (PLAIN, CAUSAL))
    assert half.flops() < 0.6 * whole.flops()
    assert half.traffic() == whole.traffic()


@pytest.mark.parametrize("on", [ON_CPU, ON_GPU], ids=["cpu", "gpu"])
@pytest.mark.parametrize("name", symbolic_attentions.CASES)
def test_of_symbolic_sizes_it_is_one_step_chosen_by_the_hints(name, on):
    *_, launch = plan_of(symbolic_attentions.case(name), on).launches
    assert isinstance(launch.step, Attention) and launch.step.whole.symbols
    one, apart = launch.candidates
    assert one.chosen and one.cost_us < apart.cost_us


# -- what is no attention

RETURNED_WEIGHTS = """p = torch.softmax(q @ k.mT, -1)
    return p @ v, p"""
RETURNED_SCORES = """s = q @ k.mT
    return torch.softmax(s, -1) @ v, s"""
DROPPED = "return (torch.softmax(q @ k.mT, -1) * m) @ v"
SQUARED = """p = torch.softmax(q @ k.mT, -1)
    return p @ p"""


@pytest.mark.parametrize(
    ("body", "shapes", "reason"),
    [
        (RETURNED_WEIGHTS, heads(64, 64, 16), "the softmax's weights are also returned"),
        (RETURNED_SCORES, heads(64, 64, 16), "the scores are also returned"),
        (DROPPED, (*heads(64, 64, 16), (64, 64)), "as dropout does"),
        (SQUARED, heads(64, 64, 16)[:2], "the weights are both operands"),
    ],
)
def test_what_comes_near_is_declined_with_a_reason(body, shapes, reason):
    result = plan_of(torch_attention(body, *shapes))
    assert not any(isinstance(x.step, Attention) for x in result.launches)
    (declined,) = result.declined
    assert reason in declined.reason


def test_doubles_are_declined():
    (declined,) = plan_of(torch_attention(BY_HAND, *heads(64, 64, 16), dtype="float64")).declined
    assert "f64" in declined.reason


def test_a_depth_that_is_a_symbol_is_declined():
    graph = symbolic_attentions.graph_of(BY_HAND, ("f32[T=64,D=16]",) * 3)
    (declined,) = plan_of(graph).declined
    assert "have the symbolic size D" in declined.reason


def test_two_products_without_a_softmax_are_not_spoken_of():
    result = plan_of(torch_attention("return torch.relu(q @ k.mT) @ v", *heads(64, 64, 16)))
    assert result.declined == ()


def test_a_key_that_others_need_is_read_from_memory():
    body = """k = k * 3
    return torch.softmax(q @ k.mT, -1) @ v, k"""
    launches = plan_of(torch_attention(body, *heads(64, 128, 16))).launches
    assert sorted(x.step.kind for x in launches) == ["attention", "elementwise"]
