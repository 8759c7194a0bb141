"""What a person does on the page, in the page's own words."""

import re
from collections.abc import Callable
from itertools import count

from playwright.sync_api import Locator, Page, ViewportSize, expect

_numbers = count(1)

# One's own, and that of a workshop's shared text, of which one is shown.
EDITORS = re.compile("^(Source|Shared text)$")

# An address of the site where the page is not.
PLAIN = "/healthz"

PHONE: ViewportSize = {"width": 390, "height": 844}

# A run may have to wait for the other tests' processors.
RUN_MS = 90_000

GELU = """import torch.nn.functional as F

# inputs: f32[256,128], f32[128]
def bias_gelu(x, b):
    y = x + b
    return F.gelu(y)
"""


def new(source: str) -> str:
    """The snippet as nobody has run it yet: identical ones share a run."""
    return f"{source}# {next(_numbers)}\n"


def write(page: Page, source: str) -> None:
    """Puts a snippet in the editor that is shown in place of what is there."""
    editor = page.get_by_role("textbox", name=EDITORS)
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    # As a paste, for typing would be indented by the editor.
    page.keyboard.insert_text(source)


def measure(page: Page, on: bool) -> None:
    page.get_by_role("checkbox", name="Measure").set_checked(on)


def open_options(page: Page) -> None:
    """Shows all options of a run, which are a line until then."""
    page.locator(".more-options > summary").click()


def run(page: Page, source: str, state: str = "done", *, measured: bool = False) -> None:
    """Writes a snippet, runs it and waits until it is over."""
    page.goto("/")
    write(page, source)
    measure(page, measured)
    page.get_by_role("button", name="Run", exact=True).click()
    expect_state(page, state)


# In one task: the example of the front page, where that has one, would come to somebody who is on
# their way, and bring its own pane to the front.
_BY_THE_FRONT = """address => ["/", address].forEach(path => {
  history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
})"""


def go(page: Page, address: str) -> None:
    """Shows a run, on a page that is loaded already as Back and Forward do: by way of the front
    page, where nothing is left of the run before but how the panes were arranged."""
    if page.url == "about:blank" or page.url.endswith(PLAIN):
        page.goto(address)
        return
    page.evaluate(_BY_THE_FRONT, address)


def expect_state(page: Page, state: str) -> None:
    expect(page.get_by_test_id("state")).to_have_text(state, timeout=RUN_MS)


def press_until(page: Page, key: str, arrived: Callable[[], bool], most: int = 12) -> None:
    """Presses a key until `arrived`, each time when the page has drawn what came of the last."""
    for _ in range(most):
        if arrived():
            return
        page.keyboard.press(key)
        page.evaluate(
            "() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
        )
    assert arrived(), f"{most} times {key} did not lead there"


def focused(page: Page) -> str:
    """The text of what has the focus."""
    return page.locator(":focus").text_content() or ""


def room(page: Page) -> Locator:
    """The bar of the workshop that a page is in."""
    return page.get_by_role("region", name="Workshop")


def leave(page: Page) -> None:
    """Gives up its seat in a workshop, and says so."""
    room(page).get_by_role("button", name="Leave", exact=True).click()
    room(page).get_by_role("button", name="Leave the workshop").click()


def pane(page: Page, name: str) -> Locator:
    return page.locator(f'[data-pane="{name}"]')


def show(page: Page, title: str) -> None:
    """Brings a pane to the front, by its tab or, on a phone, from under More."""
    name = re.compile(rf"^{re.escape(title)}( \d+)?$")
    tab = page.get_by_role("tab", name=name)
    more = page.locator(".phone-more")
    expect(tab.or_(more).first).to_be_visible()
    if tab.count() > 0:
        tab.click()
    else:
        more.click()
        page.get_by_role("menuitemradio", name=name).click()


def lit(page: Page, name: str) -> Locator:
    """The lines of a pane that are lit. What they say is expected as a list: a text by itself fails
    at once, without waiting, where two of them are lit for one frame more."""
    return pane(page, name).locator(".cm-line.cm-lit")


def source(page: Page) -> Locator:
    """The editor of one's own text."""
    return page.get_by_role("textbox", name="Source")


def shared(page: Page) -> Locator:
    """The editor of the text that a workshop writes together."""
    return page.get_by_role("textbox", name="Shared text")


def write_at_end(page: Page, text: str) -> None:
    """Writes below what the workshop has written together."""
    shared(page).click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.insert_text(text)


def exercises(page: Page) -> Locator:
    """What lists the exercises of a workshop, beside the panes."""
    return page.get_by_label("Exercises", exact=True)
