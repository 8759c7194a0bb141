"""A mesh of devices is drawn with what each holds of a chosen array; the same stands in a table,
which the keyboard walks."""

from collections.abc import Callable

import pytest
from msgspec import structs
from playwright.sync_api import Locator, Page, expect

from compiler_core import report
from compiler_core.report import Column, Holding, Mesh, MeshAxis, Placement, Row, Shard, Table
from tests.browser.others import opened_up, other
from tests.browser.steps import expect_state, lit, pane, show

MESH = Mesh([MeshAxis("data", 2), MeshAxis("model", 2)], [0, 1, 2, 3])
ROWS = [Shard(device, [device // 2 * 4, 0], [device // 2 * 4 + 4, 6]) for device in range(4)]
WHOLE = [Shard(device, [0], [6]) for device in range(4)]
HOLDINGS = [
    Holding("x", "argument", "f32[8,6]", [8, 6], "P('data', None)", [4, 6], 192, 96, 2, ROWS),
    Holding("b", "argument", "f32[6]", [6], "P()", [6], 24, 24, 4, WHOLE),
    Holding("result", "result", "f32[8,6]", [8, 6], "P('data')", [4, 6], 192, 96, 2, ROWS),
]


COLUMNS = [Column("collective"), Column("sent", "bytes"), Column("over"), Column("why")]
ROWS_SENT = [Row(["all-reduce", 4096, "data", "the snippet calls psum"], [1], 6)]
SENT = [Table("collectives", COLUMNS, ROWS_SENT)]


@pytest.fixture
def mesh(page: Page, store: Callable[..., str]) -> Locator:
    placed = other("arrays", placement=Placement(MESH, HOLDINGS))
    module = structs.replace(other("partitioned", tables=SENT), compiler="sharding")
    page.goto(store(report.encode_report(opened_up(module, placed))))
    expect_state(page, "done")
    show(page, "Mesh")
    return pane(page, "mesh")


def test_who_holds_what_is_drawn_and_stands_in_a_table(page: Page, mesh: Locator) -> None:
    expect(mesh.get_by_role("img", name="A mesh of 4 devices: data 2, model 2")).to_be_visible()
    expect(mesh.get_by_role("img", name="x in 2 parts")).to_contain_text("2, 3")
    expect(mesh).to_contain_text("each part is on 2 of 4 devices")
    table = mesh.get_by_role("table", name="Who holds what of x")
    expect(table.get_by_role("row", name="3 1 1")).to_contain_text("4:8, 0:6")
    table.get_by_role("button", name="3").focus()
    expect(mesh.locator("g.pointed")).to_have_text(["3", "2, 3"])
    mesh.get_by_label("Which array").select_option("b f32[6]")
    expect(mesh).to_contain_text("Each of 4 devices holds all of it")
    expect(mesh.get_by_role("table", name="Who holds what of b")).to_contain_text("0:6")


def test_what_devices_send_each_other_stands_below_with_its_line(page: Page, mesh: Locator) -> None:
    sent = mesh.get_by_role("region", name="What devices send each other")
    row = sent.get_by_role("row", name="all-reduce")
    for text in ("data", "4.00\u00a0KiB", "the snippet calls psum"):
        expect(row).to_contain_text(text)
    row.get_by_role("button", name="all-reduce").click()
    expect(lit(page, "source")).to_have_text(["    return y * y"])
