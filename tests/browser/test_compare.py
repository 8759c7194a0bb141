"""Two runs beside each other at one link."""

import re
from collections.abc import Callable

import msgspec
import pytest
from msgspec import structs
from playwright.sync_api import Browser, Page, Route, expect

from compiler_core import report
from compiler_core.report import Numerics
from tests.browser import api
from tests.browser.axe import SIZES, sized, violations
from tests.browser.others import LANES, opened_up
from tests.browser.steps import GELU, pane, run
from tests.browser.test_plots import ERRORS, KERNELS
from tests.browser.test_verdict import TIMINGS, measured
from tests.sweep_plugin import thinned

# The texts, and the panes whose parts are landmarks: there are two of each.
SHOWN = ("Differences", "Texts", "Fusion", "Kernels", "Timings", "Why")
# The longest words that they say.
SAID_PX = 80
# The lines that the text of an element takes.
LINES = """element => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return new Set([...range.getClientRects()].map(({top}) => Math.round(top))).size;
}"""
RELU = GELU.replace("F.gelu", "F.relu")


@pytest.fixture(scope="module")
def relu(live_stack: str) -> str:
    """The address of a run with another activation, and with timings."""
    return api.ended(live_stack, RELU).address


@pytest.fixture
def link(compiled: str, relu: str) -> str:
    """The link that compares the two."""
    return f"/c/{id_of(compiled)}...{id_of(relu)}"


def id_of(address: str) -> str:
    return address.partition("/r/")[2]


def opened(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()


def test_a_pinned_run_is_compared_with_the_next(page: Page, link: str) -> None:
    run(page, GELU)
    page.get_by_role("button", name="Pin as A").click()
    run(page, RELU, measured=True)
    page.get_by_role("link", name="Compare with A").click()
    expect(page).to_have_url(re.compile(re.escape(link)))
    rows = pane(page, "differences").get_by_role("row")
    expect(rows.filter(has_text="option measure")).to_contain_text("False")
    figures = rows.filter(has=page.get_by_role("rowheader", name="after passes"))
    expect(figures).to_have_class("differs")
    core = rows.filter(has=page.get_by_role("rowheader", name="core", exact=True))
    expect(core.get_by_role("cell").nth(1)).to_have_text(re.compile(r"^[\d.]+\s(µs|ms)$"))
    expect(figures.get_by_role("cell").last).to_have_text(re.compile(r"^\d+\.\d\d×$"))
    expect(rows.filter(has=page.get_by_role("rowheader", name="launches"))).to_be_visible()


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_what_one_side_has_not_measured_is_said_of_it(
    page: Page, store: Callable[..., str], size: str
) -> None:
    sized(page, size)
    ids = [id_of(store(each)) for each in (measured(), measured(timings={}))]
    page.goto(f"/c/{'...'.join(ids)}")
    rows = pane(page, "differences").get_by_role("row")
    core = rows.filter(has=page.get_by_role("rowheader", name="core", exact=True))
    expect(core.get_by_role("cell").nth(1)).to_have_text("not measured")
    expect(core.get_by_role("cell").last).to_have_text("only in A")
    expect(core).to_have_class("same")


def test_on_a_phone_a_figure_is_on_one_line_with_its_unit(
    page: Page, store: Callable[..., str]
) -> None:
    sized(page, "phone")
    ids = [
        id_of(store(report.encode_report(opened_up(summary=report.Summary(bytes_core=nbytes)))))
        for nbytes in (2359296, 1023 * 2**20)
    ]
    page.goto(f"/c/{'...'.join(ids)}")
    rows = pane(page, "differences").get_by_role("row")
    cells = rows.filter(has=page.get_by_role("rowheader", name="memory traffic")).get_by_role(
        "cell"
    )
    expect(cells).to_have_count(3)
    for cell, said in zip(
        cells.all(), ("2.25\xa0MiB", "1\u2009023\xa0MiB", "454.67×"), strict=True
    ):
        expect(cell).to_have_text(said)
        assert cell.evaluate(LINES) == 1, said
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES["phone"][0]


def test_on_a_phone_what_stages_say_is_read_in_words(page: Page, link: str) -> None:
    sized(page, "phone")
    page.goto(link)
    said = pane(page, "differences").locator("td.wrap").first
    expect(said).to_be_visible()
    assert said.evaluate("cell => cell.getBoundingClientRect().width") >= SAID_PX
    # The shadows at the sides of what scrolls are of the colour below them.
    colour = "e => getComputedStyle(e).backgroundColor"
    head = pane(page, "differences").locator("thead th").last
    assert page.locator(".compare-pane").evaluate(colour) == head.evaluate(colour)
    body = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert body[0] <= body[1]


def test_which_of_several_programs_differ_is_said_and_the_first_of_them_is_shown(
    page: Page, store: Callable[..., str]
) -> None:
    def two(rewrites: int) -> str:
        programs = [
            report.Program(
                name, "torch", stages=[report.Stage("fold", "ok", 1.0, summary=f"{count} rewrites")]
            )
            for name, count in (("forward", 3), ("train", rewrites))
        ]
        return id_of(store(report.encode_report(report.Report(programs=programs))))

    page.goto(f"/c/{two(4)}...{two(5)}")
    programs = page.get_by_role("group", name="Programs").get_by_role("button")
    expect(programs).to_have_text(["forward", "train1 difference"])
    expect(programs.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(pane(page, "differences")).to_contain_text("Stages that differ: 1")
    expect(page.get_by_role("tab", name="Differences 1")).to_be_visible()


def test_the_texts_of_both_are_one_difference(page: Page, link: str) -> None:
    page.goto(link)
    opened(page, "Texts")
    texts = pane(page, "texts")
    expect(texts.locator(".cm-gone")).to_have_text("    return F.gelu(y)")
    expect(texts.locator(".cm-came")).to_have_text("    return F.relu(y)")
    choose = texts.get_by_label("Which text")
    triton = choose.locator("option").filter(has_text="triton").first
    choose.select_option(triton.get_attribute("value"))
    expect(texts.locator(".cm-gone").filter(has_text="erf").first).to_be_visible()


def test_every_other_pane_is_there_twice(page: Page, link: str) -> None:
    page.goto(link)
    for name in ("Kernels", "Stages", "Fusion", "Why", "Timeline", "Mesh", "Agreement"):
        opened(page, name)
        sides = page.locator(".compare-side")
        expect(sides).to_have_count(2)
        for side in sides.all():
            expect(side.locator(".pane").first).to_be_visible()


def test_the_same_length_is_the_same_time_on_both_sides(
    page: Page, store: Callable[..., str]
) -> None:
    core = structs.replace(TIMINGS["core"], median_us=50.0, p25_us=40.0, p75_us=60.0)
    fast = store(measured(timings={"core": core}))
    page.goto(f"/c/{id_of(store(measured()))}...{id_of(fast)}#timings")
    sides = page.locator(".compare-side")
    expect(sides.locator("figure.plot .tick").first).to_be_visible()
    first, second = (side.locator("figure.plot").first.locator(".tick") for side in sides.all())
    expect(second).to_have_text(first.all_text_contents())


def test_the_lanes_of_both_sides_have_one_scale(page: Page, store: Callable[..., str]) -> None:
    shorter = [structs.replace(lane, total_us=lane.total_us / 2, events=()) for lane in LANES]
    ids = [id_of(store(report.encode_report(opened_up(timelines=t)))) for t in (shorter, LANES)]
    page.goto(f"/c/{'...'.join(ids)}#timeline")
    sides = page.locator(".compare-side")
    for side in (0, 1):
        expect(sides.nth(side).locator("figure.plot .tick").first).to_be_visible()
    first, second = (side.locator("figure.plot .tick") for side in sides.all())
    expect(first).to_have_text(second.all_text_contents())


def test_roofs_and_errors_of_both_sides_have_one_scale(
    page: Page, store: Callable[..., str]
) -> None:
    size = structs.replace(ERRORS[0].own, max_rel=1000 * (ERRORS[0].own.max_rel or 0))
    sides = [
        {"kernels": KERNELS[:1], "kernel_errors": ERRORS},
        {
            "kernels": [structs.replace(KERNELS[0], flops=2**30)],
            "kernel_errors": [structs.replace(ERRORS[0], own=size)],
        },
    ]
    known = {
        "backend": "cpu",
        "numerics": {"eager": Numerics(1e-6, 2e-7, True)},
        "findings": [report.Finding("unrolled", "core", "the loop is 4 turns long", line=5)],
    }
    ids = [id_of(store(report.encode_report(opened_up(**known, **side)))) for side in sides]
    page.goto(f"/c/{'...'.join(ids)}#kernels")
    for shown, name in (("Kernels", "roofline"), ("Numerics", "error-by-kernel")):
        opened(page, shown)
        plots = page.locator("figure", has=page.get_by_role("button", name=f"Download {name} as S"))
        expect(plots).to_have_count(2)
        first, second = (plot.locator(".tick") for plot in plots.all())
        assert len(first.all_text_contents()) > 2
        expect(second).to_have_text(first.all_text_contents())
    page.goto(f"/c/{'...'.join(ids)}#why")
    expect(page.get_by_role("tab", name="Why")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".reason-card").first).to_be_visible()
    # Nothing is run here.
    expect(page.get_by_role("button", name="Try the remedies")).to_have_count(0)


def test_of_a_run_that_goes_on_it_is_said_that_more_will_come(
    page: Page, compiled: str, store: Callable[..., str]
) -> None:
    begun = report.Started(report.Snippet("", GELU), {}, report.Device("cpu"), report.Options())
    going = store(msgspec.json.encode(begun), "events")
    page.goto(f"/c/{id_of(compiled)}...{id_of(going)}")
    expect(page.get_by_role("status").filter(has_text="B is not over")).to_be_visible()


def test_another_run_takes_a_side_by_its_link_on_a_phone_too(
    page: Page, compiled: str, link: str
) -> None:
    sized(page, "phone")
    page.goto(link)
    put = page.get_by_label("Another run as B: its link")
    put.fill("what is this")
    put.blur()
    expect(put).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("alert").filter(has_text="what is this")).to_contain_text("paste")
    put.fill(f"https://elsewhere.test{compiled}#stage=1")
    put.blur()
    expect(page).to_have_url(re.compile(re.escape(f"{id_of(compiled)}...{id_of(compiled)}")))
    expect(pane(page, "differences")).to_contain_text("The same.")


def test_a_comparison_that_the_server_does_not_give_is_asked_for_again(
    chromium: Browser, live_stack: str, link: str
) -> None:
    # Chromium complains of an answer that refuses.
    context = chromium.new_context(base_url=live_stack)
    page = context.new_page()
    refused = {"message": "This address asks for much.", "remedy": "Try again in 1 s."}
    busy = {"now": True}

    def answer(route: Route) -> None:
        if busy["now"]:
            route.fulfill(status=429, headers={"Retry-After": "1"}, json={"error": refused})
        else:
            route.continue_()

    page.route("**/api/v1/runs/*/compare/*", answer)
    page.goto(link)
    expect(page.get_by_role("alert").filter(has_text="asks for much")).to_be_visible()
    busy["now"] = False
    expect(pane(page, "differences")).to_contain_text("after passes")
    expect(page.get_by_role("alert").filter(has_text="asks for much")).to_have_count(0)
    context.close()


@pytest.mark.parametrize("size", ["desk", "laptop", "phone"])
def test_much_that_was_decided_leaves_room_for_both_runs(
    page: Page, store: Callable[..., str], size: str
) -> None:
    asked = [
        report.WantedSchedule(f"{i}.divide", "persistent", {"num_warps": 8, "block_p": 4}, "gpu")
        for i in range(4)
    ]

    def run(count: int) -> str:
        whole = opened_up()
        options = structs.replace(whole.options, overrides=tuple(asked[:count]))
        whole.options = options
        return id_of(store(report.encode_report(whole)))

    sized(page, size)
    page.goto(f"/c/{run(3)}...{run(4)}")
    row = pane(page, "differences").get_by_role("row").filter(has_text="option overrides")
    expect(row.get_by_role("cell").last).to_have_text("differs")
    for cell in row.get_by_role("cell").all():
        box = cell.bounding_box()
        assert box and box["x"] + box["width"] <= SIZES[size][0]
    for name in page.locator(".compare-run > a").all():
        assert name.evaluate("name => name.scrollWidth <= name.clientWidth")


@pytest.mark.parametrize("size", thinned(SIZES, kept=("phone",)))
def test_it_has_room_and_axe_finds_nothing(page: Page, link: str, size: str) -> None:
    sized(page, size)
    page.goto(link)
    expect(pane(page, "differences")).to_contain_text("after passes")
    for name in SHOWN:
        opened(page, name)
        assert violations(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0], name
        # What has no room is reached within the strip of tabs; the page stays where it is.
        assert page.evaluate("document.getElementById('app').scrollLeft") == 0, name
