"""The two forms of a scatter on a GPU: which of them is possible, and what it gives up."""

from dataclasses import replace

import pytest

from compiler_core.ir.types import BF16, F32, I32, I64, DType
from compiler_core.kernel.access import Affine, Indirect
from compiler_core.kernel.effects import Mode, Store
from compiler_core.kernel.kernel import BufferParam, Kernel, Load
from compiler_core.schedule.gpu.scatter import forms
from compiler_core.schedule.gpu.scatter_rows import by_rows
from compiler_core.schedule.targets import TARGETS
from tests.compiler_core.codegen.triton.by_hand import at, build, result, source, tensor

ANY_ORDER = TARGETS["sm_90"]
ONE_ORDER = replace(ANY_ORDER, deterministic=True)


def scatter(mode: Mode, dtype: DType = F32, *, rows: int = 5, also: bool = False) -> Kernel:
    """y[64*j[i] + c] combined with u[i, c], of 40 updates; `also` a copy of u."""
    place = Affine((("i1", 1),), indirect=(Indirect("v1", 64),))
    here = at(i0=64, i1=1)
    out = BufferParam("y", tensor(dtype, rows, 64), "inout")
    copy = [result("z", tensor(dtype, 40, 64))] if also else []
    return build(
        "scatter", "elementwise", "i0:40 i1:64",
        [source("u", tensor(dtype, 40, 64)), source("j", tensor(I64, 40)), out, *copy],
        [Load("v0", dtype, "u", here, (1,)), Load("v1", I64, "j", at(i0=1), (1,))],
        [Store("y", place, "v0", (2,), mode=mode),
         *(Store(b.name, here, "v0", (3,)) for b in copy)],
    )  # fmt: skip


# What: the kernel, the target, and why a form is possible or not: by rows, then atomic.
FORMS = {
    "sums of floats": (
        scatter("add"), ANY_ORDER, "deterministic", "in any order: not deterministic"),
    "sums of floats in one order": (
        scatter("add"), ONE_ORDER, "deterministic", "which torch was told not to use"),
    "sums of integers": (
        scatter("add", I32), ONE_ORDER, "deterministic", "whose order changes nothing"),
    "extremes of floats": (
        scatter("maximum"), ONE_ORDER, "deterministic", "whose order changes nothing"),
    "products": (scatter("multiply"), ANY_ORDER, "deterministic", "compare and swap"),
    "narrow": (scatter("add", BF16), ANY_ORDER, "deterministic", "narrower than 32 bits"),
    "set": (scatter("set"), ANY_ORDER, "any one of several updates may stay", "plain stores"),
    "set in one order": (scatter("set"), ONE_ORDER, "deterministic", "told not to use"),
    "with another result": (
        scatter("add", also=True), ANY_ORDER, "the kernel has 2 results", "in any order"),
}  # fmt: skip
REFUSED = {
    "sums of floats in one order": {"atomic"},
    "narrow": {"atomic"},
    "set": {"by rows"},
    "set in one order": {"atomic"},
    "with another result": {"by rows"},
}


@pytest.mark.parametrize("name", FORMS)
def test_a_form_says_why_it_is_possible_or_not(name: str) -> None:
    kernel, target, *words = FORMS[name]
    found = forms(kernel, target)
    for form, reason in zip(found, words, strict=True):
        assert reason in form.reason
    refused = {form.name for form in found if form.kernel is None}
    assert refused == REFUSED.get(name, set())
    assert all((form.cost_us is None) == (form.kernel is None) for form in found)


@pytest.mark.parametrize(("rows", "cheaper"), [(5, "by rows"), (1_000_000, "atomic")])
def test_few_rows_look_for_their_updates(rows: int, cheaper: str) -> None:
    found = forms(scatter("add", rows=rows), ANY_ORDER)
    assert min(found, key=lambda form: form.cost_us or 0.0).name == cheaper


def test_a_row_is_what_one_index_selects() -> None:
    (e,) = scatter("add").scattered
    rows = by_rows(scatter("add"), e)
    assert [(a.extent, a.kind) for a in rows.axes] == [
        (5, "parallel"), (64, "parallel"), (40, "reduce"),
    ]  # fmt: skip
    assert not rows.scattered and [e.monoid for e in rows.reductions.values()] == ["add"]


def test_of_updates_in_one_order_the_last_stays() -> None:
    kernel = scatter("set")
    (e,) = kernel.scattered
    assert {r.monoid for r in by_rows(kernel, e).reductions.values()} == {"latest"}
