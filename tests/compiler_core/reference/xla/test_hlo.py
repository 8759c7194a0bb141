"""HLO's text, read: instructions, computations and where they come from, on stored samples."""

import pytest

from compiler_core.reference.xla import hlo
from compiler_core.reference.xla.frames import Frames, frames_of
from compiler_core.reference.xla.places import Places
from tests.compiler_core.reference.xla.samples import NAMES, NODES, VERSIONS, sample


@pytest.fixture(params=VERSIONS)
def module(request) -> hlo.Module:
    return hlo.parse(sample(request.param, "cpu_after_optimizations.txt"))


def test_every_line_of_a_computation_is_an_instruction(module: hlo.Module) -> None:
    body = [line for line in module.lines[len(module.head) :] if line.startswith("  ")]
    assert len(body) == len(module.instruction_at) > 40
    assert module.is_scheduled


def test_an_instruction_has_its_operands_its_type_with_layout_and_what_it_calls(module) -> None:
    found = module.entry.by_name["maximum_transpose_fusion"]
    assert found.opcode == "fusion" and found.fusion_kind == "kLoop"
    assert found.type == "f32[16,32]{0,1}"
    assert found.operands == ("x.1", "b.1")
    assert found.called == ("fused_computation",)
    assert module.computations["fused_computation"].root.opcode == "transpose"
    assert module.entry.root.type == "(f32[16,16]{1,0}, f32[16,32]{1,0})"


def test_what_is_shown_has_neither_tables_nor_metadata(module: hlo.Module) -> None:
    assert "metadata" not in module.text and "StackFrames" not in module.text
    assert module.text.startswith("HloModule jit_f")
    assert module.text.count("\n  ") == len(module.instruction_at)


def test_an_instruction_comes_from_the_operation_at_its_line_and_column(module) -> None:
    places = Places("jax", NODES).of(module)
    (called,) = module.entry.by_name["maximum_sine_fusion"].called
    inside = module.computations[called]
    found = {i.opcode: [NAMES[n] for n in places.ids(i)] for i in inside.instructions}
    assert found["add"] == ["add"]
    assert found["sine"] == ["sin"]  # the product has the same line and column
    assert found["parameter"] == []


def test_a_fusion_comes_from_all_that_is_in_it(module: hlo.Module) -> None:
    shown = zip(module.shown, Places("jax", NODES).of(module).by_line(), strict=True)
    (fusion,) = (ids for (text, _), ids in shown if "%maximum_sine_fusion = " in text)
    assert [NAMES[n] for n in fusion] == ["add", "max", "sin"]


def test_the_ids_of_a_torch_programs_operations_are_in_their_names() -> None:
    text = """HloModule jit_f
ENTRY %main (x: f32[8]) -> f32[8] {
  %x = f32[8]{0} parameter(0), metadata={op_name="inputs[0]"}
  ROOT %tanh = f32[8]{0} tanh(%x), metadata={op_name="jit(f)/op12_13/tanh" stack_frame_id=1}
}
"""
    places = Places("torch", NODES).of(hlo.parse(text))
    assert places.by_line() == [[], [], [], [], [12, 13], []]


def test_a_stack_is_read_from_the_tables_that_printed_it() -> None:
    head = """FileNames
1 "caller.py"
2 "<snippet>"

FileLocations
1 {file_name_id=1 function_name_id=1 line=9 end_line=9 column=4 end_column=25}
2 {file_name_id=2 function_name_id=2 line=5 end_line=5 column=11 end_column=32}

StackFrames
1 {file_location_id=1 parent_frame_id=%d}
2 {file_location_id=2 parent_frame_id=%d}
something that no version has printed yet
""".splitlines()
    for shift in (0, 1):
        printed = "\n".join(head) % (shift, 1 + shift)
        frames = frames_of(printed.splitlines())
        assert frames.stack(2) == [("<snippet>", 5, 11), ("caller.py", 9, 4)]
        assert frames.stack(7) == frames.stack(None) == []


def test_frames_that_call_each_other_end() -> None:
    places = {1: ("a", 1, 0), 2: ("b", 2, 0)}
    assert Frames(places, {1: 2, 2: 1}).stack(2) == [("b", 2, 0), ("a", 1, 0)]


def test_a_text_of_something_else_is_shown_as_it_is() -> None:
    module = hlo.parse("not HLO at all\nand more")
    assert not module.computations and module.entry is None
    assert module.text.startswith("not HLO at all")


def test_a_tuples_type_and_comments_within_it_are_read() -> None:
    text = """HloModule m
ENTRY %e (p: (f32[2], s32[])) -> f32[2] {
  %p = (f32[2]{0:T(128)}, /*index=1*/s32[]) parameter(0)
  ROOT %g = f32[2]{0} get-tuple-element(%p), index=0, metadata={op_name="a\\"}b" stack_frame_id=3}
}
"""
    entry = hlo.parse(text).entry
    assert entry is not None
    parameter, element = entry.instructions
    assert parameter.type == "(f32[2]{0:T(128)}, /*index=1*/s32[])"
    assert (element.opcode, element.number, element.frame) == ("get-tuple-element", 0, 3)
    assert element.rest == "get-tuple-element(%p), index=0"
