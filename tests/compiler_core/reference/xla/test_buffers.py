"""Where values lie and when they are alive, on stored samples."""

import pytest

from compiler_core.reference.xla import buffers, hlo
from compiler_core.reference.xla.dump import Dump
from compiler_core.reference.xla.places import Places
from tests.compiler_core.reference.xla.samples import NAMES, NODES, VERSIONS, sample

# The step at which the sine is made, and the bytes that are used at most. jaxlib 0.9 makes a
# constant first, and writes all into one file.
FACTS = {
    "jaxlib-0.9.2": (5, 9284),
    "jaxlib-0.10.2": (4, 9280),
    "jaxlib-0.11.0": (4, 9280),
}


@pytest.fixture(params=VERSIONS)
def version(request) -> str:
    return request.param


@pytest.fixture
def texts(version) -> tuple[str, ...]:
    name = "cpu_after_optimizations"
    names = [f"{name}{end}.txt" for end in ("", "-buffer-assignment", "-live-range")]
    dump = Dump(None, {each: sample(version, each).encode() for each in names})
    return *buffers.texts(dump), dump.final


def test_a_value_has_its_place_and_the_steps_at_which_it_is_alive(texts, version) -> None:
    step, _ = FACTS[version]
    found = {value.name: value for value in buffers.values(*texts[:2])}
    sine = found["maximum_sine_fusion"]
    assert (sine.kind, sine.offset, sine.size, sine.first, sine.last) == (
        "temporary", 2048, 2048, step, step + 2,
    )  # fmt: skip
    assert found["x.1"].kind == "argument" and found["wrapped_copy"].kind == "result"
    assert "reduce_sum.3" not in found  # an element of a reduction: in a register


def test_values_that_are_alive_together_do_not_overlap(texts) -> None:
    found = buffers.values(*texts[:2])
    for a in found:
        for b in found:
            together = a.first <= b.last and b.first <= a.last
            overlap = a.offset < b.offset + b.size and b.offset < a.offset + a.size
            # The last step of one may be the first of what is written over it.
            if a is not b and a.allocation == b.allocation and together and overlap:
                assert a.last == b.first or b.last == a.first


def test_the_table_leads_to_operations_and_the_summary_says_what_is_saved(texts, version) -> None:
    placed = buffers.values(*texts[:2])
    stage = buffers.stage(placed, *texts[:2], Places("jax", NODES).of(hlo.parse(texts[2])))
    table, memory = stage.tables
    nodes = {row.cells[3]: [NAMES[n] for n in row.nodes] for row in table.rows}
    assert nodes["maximum_sine_fusion"] == ["add", "max", "sin"]
    assert stage.summary == ("6144 bytes for 4 temporary values, 6208 without using memory again")
    step, most = FACTS[version]
    assert [f"most at once, at step {step + 2}", most] in [row.cells for row in memory.rows]


def test_what_is_temporary_is_a_memory_plan_and_the_rest_has_no_place_in_it(texts, version) -> None:
    step, _ = FACTS[version]
    placed = buffers.values(*texts[:2])
    plan = [*buffers.plan(placed, Places("jax", NODES).of(hlo.parse(texts[2])))]
    by_name = {buffer.name: buffer for buffer in plan}
    sine = by_name["maximum_sine_fusion"]
    assert (sine.offset, sine.bytes, sine.first, sine.last) == (2048, 2048, step, step + 2)
    assert [NAMES[n] for n in sine.nodes] == ["add", "max", "sin"]
    assert by_name["x.1"].offset is None and by_name["wrapped_copy"].offset is None
    assert max(b.offset + b.bytes for b in plan if b.offset is not None) == 6144


@pytest.mark.parametrize(("text", "shown"), [("BufferAssignment, rewritten", 1), ("", 0)])
def test_a_text_of_another_form_is_shown_as_it_stands(text: str, shown: int) -> None:
    stage = buffers.stage([], text, "", Places("jax", NODES).of(hlo.parse("")))
    assert [a.text for a in stage.artifacts] == [text] * shown
    assert stage.tables == [] and stage.summary
