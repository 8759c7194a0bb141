"""Snippets of several graphs, run and shown."""

import re

from playwright.sync_api import Page, expect

from tests.browser.graph_panes import graph, graphs, kernels, stages
from tests.browser.steps import lit, pane, run, show

BROKEN = """import torch

@torch.compile
def gated(x):
    y = torch.tanh(x) * 2
    if y.sum() > 0:
        print("positive")
    return torch.softmax(y, -1)

gated(torch.ones(64, 512))
"""

TRAINING = """import torch
from torch import nn

layer = nn.Linear(64, 8)

@torch.compile
def step(x, y):
    loss = nn.functional.mse_loss(layer(x), y)
    loss.backward()
    return loss

step(torch.randn(32, 64), torch.randn(32, 8))
"""


def test_snippet_with_a_graph_break_shows_its_pieces(page: Page) -> None:
    run(page, BROKEN)
    expect(graphs(page).get_by_role("listitem")).to_have_text(
        [
            re.compile("Whole program"),
            re.compile("piece 1.*line 5"),
            re.compile(r"if y.sum\(\) > 0.*line"),
            re.compile("piece 2.*line 8"),
        ]
    )
    graph(page, "piece 2").click()
    show(page, "IR")
    expect(pane(page, "ir")).to_contain_text("exponential")
    show(page, "Kernels")
    expect(kernels(page).first).to_contain_text("exponential")
    expect(pane(page, "kernels")).not_to_contain_text("tanh")


SKIPPED = """import torch

@torch.compile
def f(x):
    for i in range(3):
        x = x * 2
        if x[0, 0] > 1:
            x = x.sin()
    return x

f(torch.ones(5, 7))
"""


def test_function_that_stays_in_python_is_shown_with_the_reason(page: Page) -> None:
    run(page, SKIPPED)
    expect(graphs(page).get_by_role("listitem")).to_have_text(
        [
            re.compile("Whole program.*runs in Python as eager does"),
            re.compile("Python.*lines 5.*within a loop.*move it out of the loop"),
        ]
    )


LOOP = """import jax
import jax.numpy as jnp

@jax.jit
def newton(x):
    def step(state):
        count, y = state
        return count + 1, 0.5 * (y + x / y)
    _, y = jax.lax.while_loop(lambda state: state[0] < 20, step, (0, jnp.ones_like(x)))
    return jnp.tanh(y)

newton(jnp.ones((8, 16)))
"""


def test_body_of_a_loop_is_chosen_within_its_graph(page: Page) -> None:
    run(page, LOOP)
    show(page, "Kernels")
    graph(page, "while body").click()
    expect(kernels(page).first).to_contain_text("k2_body")
    expect(pane(page, "kernels")).not_to_contain_text("tanh")
    # It is compiled with the graph that holds the loop, so that graph's stages tell of it.
    expect(stages(page).first).to_contain_text("capture")
    expect(pane(page, "ir")).to_contain_text("while")
    expect(pane(page, "triton")).to_contain_text("def k2_body")


def test_training_step_shows_what_its_forward_graph_keeps(page: Page) -> None:
    run(page, TRAINING)
    expect(graph(page, "forward")).to_contain_text("keeps")
    expect(graph(page, "backward")).to_be_visible()
    pane(page, "source").locator(".cm-line", has_text="mse_loss").click()
    show(page, "C")
    for name in ("forward", "backward"):
        graph(page, name).click()
        expect(lit(page, "c").first).to_be_visible()
    graph(page, "forward").click()
    show(page, "Memory")
    expect(pane(page, "memory")).to_contain_text(re.compile("values?, .* in all"))
