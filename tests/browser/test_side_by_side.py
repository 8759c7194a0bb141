"""Two runs side by side on one page: each has a state of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from compiler_core import report
from frontend import build

ENTRY = "src/testing/side-by-side.tsx"
STORED = Path(__file__).parents[1] / "compiler_core" / "report" / "stored" / "schema-1.json"
SAMPLE = build.FRONTEND / "src" / "lib" / "fixtures" / "sample.json"
HTML = """<!doctype html><html lang="en"><head><title>Two runs</title>{styles}</head>
<body><div id="app"></div><script type="module" src="{script}"></script></body></html>"""
HOST = "http://side-by-side.test"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built page of two runs."""
    out = tmp_path_factory.mktemp("bundle")
    command = [sys.executable, build.__file__, "npm", "run", "--silent", "build", "--"]
    subprocess.run(
        [*command, "--logLevel", "warn", "--outDir", str(out)],
        env={**os.environ, "FUSELAB_ENTRY": ENTRY},
        check=True,
        timeout=120,
    )
    return out


def html(bundle: Path) -> str:
    entry = json.loads((bundle / ".vite" / "manifest.json").read_text())[ENTRY]
    styles = "".join(f'<link rel="stylesheet" href="/static/app/{f}">' for f in entry["css"])
    return HTML.format(styles=styles, script=f"/static/app/{entry['file']}")


def run_of(name: str, raw: bytes) -> dict[str, Any]:
    """What the API gives of a run that is done, as far as the page reads it."""
    whole = json.loads(report.current(raw))
    options = json.loads(report.encode_event(report.Options()))
    about = {"id": name, "state": "done", "options": options, "shared": False}
    ended = {"seq": 0, "finished": "2026-01-01T00:00:00Z", "seconds": 1.0}
    return {**about, **ended, "source": whole["snippet"]["source"], "report": whole}


@pytest.fixture(scope="module")
def two(chromium: Browser, bundle: Path) -> Iterator[Page]:
    """A page with the run "old" on the left and "new" on the right; each test is of something else
    on it."""
    sample = json.loads(SAMPLE.read_text(encoding="utf-8"))["report"]
    runs = [run_of("old", STORED.read_bytes()), run_of("new", json.dumps(sample).encode())]

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(HOST)
        if path == "/":
            route.fulfill(body=html(bundle), content_type="text/html")
        elif path == "/api/v1/toolchains":
            route.fulfill(json={"toolchains": [], "extras": []})
        else:
            route.fulfill(path=bundle / path.removeprefix("/static/app/"))

    page = chromium.new_page(viewport={"width": 1800, "height": 900})
    page.route(f"{HOST}/**", answer)
    page.add_init_script(f"window.RUNS = {json.dumps(runs)}")
    page.goto(HOST)
    yield page
    page.close()


def side(page: Page, name: str) -> Locator:
    return page.locator(f'[data-run="{name}"]')


def selected_stage(run: Locator) -> Locator:
    return run.get_by_role("tree", name="Stages").get_by_role("treeitem", selected=True)


def test_each_shows_its_own_program(two: Page) -> None:
    programs = [side(two, name).get_by_role("group", name="Programs") for name in ("old", "new")]
    expect(programs[0]).to_contain_text("bias_gelu")
    expect(programs[1]).not_to_contain_text("bias_gelu")


def test_a_line_chosen_in_one_lights_up_nothing_in_the_other(two: Page) -> None:
    side(two, "old").locator('[data-pane="source"] .cm-line', has_text="F.gelu").click()
    expect(side(two, "old").locator(".cm-lit").first).to_be_visible()
    expect(side(two, "new").locator(".cm-lit")).to_have_count(0)


def test_a_stage_chosen_in_one_stays_unchosen_in_the_other(two: Page) -> None:
    before = selected_stage(side(two, "new")).inner_text().split("\n")[0]
    side(two, "old").get_by_role("tree", name="Stages").focus()
    two.keyboard.press("Home")
    expect(selected_stage(side(two, "old"))).to_contain_text("capture")
    expect(selected_stage(side(two, "new"))).to_contain_text(before)


def test_a_pane_brought_to_the_front_in_one_stays_behind_in_the_other(two: Page) -> None:
    side(two, "new").get_by_role("tab", name="Kernels").click()
    expect(side(two, "new").locator('[data-pane="kernels"] table')).to_be_visible()
    expect(side(two, "old").locator('[data-pane="kernels"] table')).to_have_count(0)


def test_no_two_elements_have_the_same_id(two: Page) -> None:
    expect(selected_stage(side(two, "new"))).to_be_visible()
    ids = two.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert sorted(ids) == sorted(set(ids))
