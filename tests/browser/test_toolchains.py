"""Which versions run a snippet is chosen where there is a choice."""

import re
from collections.abc import Iterator

import pytest
import redis
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OWN_DATABASE
from tests.browser.steps import GELU, expect_state, new, open_options, write
from webapp.runs import workers
from worker.heartbeat import toolchain

# Longer than a test takes on a busy machine.
LIVES_S = 120


@pytest.fixture
def another_worker(
    live_stack: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """It has a toolchain, and takes no runs."""
    own = redis.Redis.from_url(redis_url.rpartition("/")[0] + OWN_DATABASE)
    monkeypatch.setattr(workers, "connection", lambda: own)
    main = toolchain()
    info = workers.WorkerInfo(
        id="0-before-others",
        queues=("cpu",),
        devices={"cpu": "Some CPU"},
        toolchain=main,
        toolchains={"jax-old": main | {"jax": "0.1.2"}},
    )
    workers.beat(info)
    own.expire(workers._KEY.format(id=info.id), LIVES_S)
    yield
    workers.leave(info.id)
    own.delete("cpu.jax-old")
    own.close()


def choice(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Toolchain")


def test_where_there_is_but_one_its_versions_stand_there_and_how_others_are_had(page: Page) -> None:
    with page.expect_response("**/api/v1/toolchains") as asked:
        page.goto("/")
    open_options(page)
    if len(asked.value.json()["toolchains"]) > 1:
        pytest.skip("this machine has toolchains of its own")
    said = page.get_by_role("form", name="Options").get_by_text("Runs with")
    expect(said).to_contain_text(f"jax {toolchain()['jax']}")
    expect(said).to_contain_text("make toolchain NAME=jax-0.9")
    expect(choice(page)).to_have_count(0)


@pytest.mark.usefixtures("another_worker")
def test_the_one_that_is_chosen_is_asked_for_and_kept_by_the_link(page: Page) -> None:
    page.goto("/")
    open_options(page)
    # With the versions in which it differs from those that this machine may have.
    option = choice(page).locator("option", has_text="jax-old")
    expect(option).to_have_text(re.compile(r"^jax-old · (.*, )?jax 0\.1\.2\b"))
    choice(page).select_option("jax-old")
    write(page, new(GELU))
    page.get_by_role("button", name="Run", exact=True).click()
    expect_state(page, "queued")
    # A phone has one's place in the queue as well.
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".status .doing")).to_be_in_viewport()
    expect(page.locator(".status .doing")).to_have_text(re.compile("^next"))
    page.get_by_role("button", name="Cancel").click()
    expect_state(page, "cancelled")
    page.reload()
    expect(choice(page)).to_have_value("jax-old")


def test_one_that_no_worker_has_any_more_is_shown_and_refused(
    page: Page, another_worker: None
) -> None:
    page.goto("/")
    open_options(page)
    choice(page).select_option("jax-old")
    workers.leave("0-before-others")
    write(page, new(GELU))
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text('No worker has the toolchain "jax-old".')).to_be_visible()
