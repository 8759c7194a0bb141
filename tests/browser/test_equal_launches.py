"""Equal launches are one row, "12 times", which opens; their text is one, and speaks of all."""

from collections.abc import Callable

import pytest
from msgspec import structs
from playwright.sync_api import Locator, Page, expect

from compiler_core import report
from compiler_core.report import Artifact, CapturedOp, Graph, Program, Report, Stage
from tests.browser.steps import lit, pane, show
from tests.several_graphs import kernel

TIMES = 12
WHOLE = "whole"


def repeated() -> Report:
    """A product and what follows it, twelve times: the GPU's launches, with their two texts."""
    names = [("matmul", 2 * i) for i in range(TIMES)] + [("tanh", 2 * i + 1) for i in range(TIMES)]
    launches = [
        structs.replace(
            kernel(f"k{node}_{name}", [node], WHOLE, "gpu"),
            same_as=f"k{node % 2}_{name}" if node > 1 else "",
        )
        for name, node in sorted(names, key=lambda pair: pair[1])
    ]
    texts = [
        Artifact(
            first, "triton", "python", f"def {first}():\n    store()\n",
            [[], [k.nodes[0] for k in launches if first in (k.id, k.same_as)], []], first,
        )
        for first in ("k0_matmul", "k1_tanh")
    ]  # fmt: skip
    lines = "\n".join(f"%{k.nodes[0]} = {k.id}" for k in launches)
    graph = Artifact("captured", "captured", "aten", lines, [k.nodes for k in launches])
    program = Program(
        "f",
        "torch",
        graphs=[Graph(name="f", line=1)],
        nodes=[CapturedOp(2 * i + j, "op", 1, 1) for i in range(TIMES) for j in (0, 1)],
        kernels=launches,
        stages=[
            Stage("capture", "ok", 1.0, [graph], "capture"),
            Stage("triton", "ok", 1.0, texts, "codegen", backend="gpu"),
        ],
    )
    return Report(snippet=report.Snippet("", "f = 1\n"), programs=[program])


@pytest.fixture(scope="module")
def address(store: Callable[[bytes], str]) -> str:
    return store(report.encode_report(repeated()))


@pytest.fixture
def rows(page: Page, address: str) -> Locator:
    page.goto(address)
    show(page, "Kernels")
    return pane(page, "kernels").locator("tbody tr:not(.section)")


def test_equal_launches_are_a_row_that_opens_and_closes(rows: Locator, page: Page) -> None:
    expect(rows).to_have_count(2)
    times = page.get_by_role("button", name="k0_matmul, 12 times")
    times.click()
    expect(rows).to_have_count(2 + TIMES - 1)
    expect(rows.nth(TIMES - 1)).to_contain_text("k22_matmul")
    times.click()
    expect(rows).to_have_count(2)


def test_the_row_lights_up_for_every_one_of_them(rows: Locator, page: Page) -> None:
    show(page, "Captured")
    pane(page, "captured").get_by_text("%7 = k7_tanh").click()
    show(page, "Kernels")
    expect(rows.nth(1)).to_have_class("lit")
    expect(rows.nth(0)).not_to_have_class("lit")


def test_a_chosen_launch_is_found_in_the_text_of_the_first(rows: Locator, page: Page) -> None:
    page.get_by_role("button", name="k1_tanh, 12 times").click()
    rows.filter(has_text="k9_tanh").get_by_role("button", name="k9_tanh", exact=True).click()
    show(page, "Triton")
    triton = pane(page, "triton")
    expect(triton.get_by_role("combobox")).to_have_value("/whole/gpu//triton/k1_tanh")
    expect(triton.locator("option")).to_have_text(["k0_matmul · 12 times", "k1_tanh · 12 times"])
    expect(lit(page, "triton")).to_have_text(["    store()"])
