"""What is read of the module that code is made of, on stored samples."""

import pytest

from compiler_core.reference.xla import calls, edges, fusions, hlo, layouts, units
from compiler_core.reference.xla.costs import cut_out
from compiler_core.reference.xla.places import ModulePlaces, Places
from tests.compiler_core.reference.xla.samples import NAMES, NODES, VERSIONS, sample


@pytest.fixture(params=VERSIONS)
def places(request) -> ModulePlaces:
    text = sample(request.param, "cpu_after_optimizations.txt")
    return Places("jax", NODES).of(hlo.parse(text))


def test_what_runs_as_one_is_not_what_is_in_it(places: ModulePlaces) -> None:
    found = {unit.name: units.described(unit, places.module) for unit in units.units(places.module)}
    assert found["maximum_sine_fusion"] == "a loop fusion"
    assert found["dot_general.1"] == "a product"
    assert found["wrapped_copy"] == "a loop fusion that ends in a copy"
    assert not {"sin.2", "reduce_sum.5", "x.1", "tuple"} & found.keys()


def test_operations_in_one_kernel_are_fused_and_those_in_two_are_not(places) -> None:
    found = {
        (NAMES[d.from_nodes[0]], NAMES[d.to_nodes[0]], d.fused)
        for d in edges.decisions(units.leaves(places), places)
    }
    assert ("add", "max", True) in found and ("max", "sin", True) in found
    assert ("max", "transpose", True) in found  # computed again in the kernel that returns it
    assert ("sin", "dot_general", False) in found
    fused = places.module.named("reduce_divide_fusion") is not None  # not by jaxlib 0.9
    assert ("reduce_sum", "div", fused) in found


def test_what_runs_as_one_is_a_group_of_captured_operations(places: ModulePlaces) -> None:
    found = {group.name: group for group in fusions.groups(places)}
    assert found.keys() == {unit.name for unit in units.units(places.module)}
    sine = found["maximum_sine_fusion"]
    assert (sine.compiler, sine.kind) == ("xla", "kLoop")
    assert {"max", "sin"} <= {NAMES[node] for node in sine.nodes}
    assert [NAMES[node] for node in found["dot_general.1"].nodes][-1:] == ["dot_general"]
    assert all(group.bytes is None or group.bytes > 0 for group in found.values())


def test_an_edge_that_is_not_fused_says_between_what_it_lies(places: ModulePlaces) -> None:
    found = [
        d
        for d in edges.decisions(units.leaves(places), places)
        if not d.fused and NAMES[d.from_nodes[0]] == "sin"
    ]
    assert [d.bytes for d in found] == [32 * 16 * 4]
    assert found[0].reason == (
        "XLA gives no reason: from a loop fusion (maximum_sine_fusion) to a product (dot_general.1)"
    )


def test_values_between_kernels_are_listed_by_why_with_their_bytes(places: ModulePlaces) -> None:
    found = edges.findings(units.leaves(places), places)
    sizes = [each.bytes for each in found]
    assert sizes == sorted(sizes, reverse=True) and min(sizes) > 0
    sine = next(each for each in found if each.raw == "maximum_sine_fusion -> dot_general.1")
    assert (sine.kind, sine.compiler, sine.bytes) == ("not fused", "xla", 32 * 16 * 4)
    assert sine.what.startswith("sine") and "dot" in sine.what and {*sine.nodes} <= {*NAMES}
    assert sine.why == (
        "the value goes through memory from a loop fusion to a product: XLA fuses nothing into "
        "what it has a kernel or a library of its own for"
    )
    assert all(" -> " in each.raw and each.line for each in found)


def test_a_copy_that_takes_a_kernel_is_a_finding_at_what_it_copies(places: ModulePlaces) -> None:
    copies = layouts.copies(units.leaves(places))
    (found,) = layouts.findings(copies, places)
    assert (found.kind, found.line, found.bytes) == ("layout copy", 6, 2 * 16 * 32 * 4)
    assert NAMES[found.nodes[-1]] == "transpose"
    assert found.what == "f32[16,32] is copied, from layout 0,1 to 1,0"
    assert layouts.stage(copies, places).tables[0].rows[0].cells[-1] is True


def test_a_kernel_that_only_moves_elements_is_a_copy_whatever_it_takes_to_say_so() -> None:
    text = """HloModule m
%moved (p: f32[64,96]) -> f32[6144] {
  %p = f32[64,96]{1,0} parameter(0)
  %t = f32[96,64]{0,1} transpose(%p), dimensions={1,0}
  %copy.3 = f32[96,64]{1,0} copy(%t), metadata={op_name="jit(f)/op1/copy"}
  ROOT %b = f32[6144]{0} bitcast(%copy.3)
}
%computed (q: f32[64,96]) -> f32[96,64] {
  %q = f32[64,96]{1,0} parameter(0)
  %u = f32[96,64]{0,1} transpose(%q), dimensions={1,0}
  %copy.4 = f32[96,64]{1,0} copy(%u), metadata={op_name="jit(f)/op1/copy"}
  ROOT %s = f32[96,64]{1,0} sine(%copy.4)
}
ENTRY %main (x: f32[64,96]) -> (f32[6144], f32[96,64]) {
  %x = f32[64,96]{1,0} parameter(0)
  %one = f32[6144]{0} fusion(%x), kind=kLoop, calls=%moved
  %two = f32[96,64]{1,0} fusion(%x), kind=kLoop, calls=%computed
  ROOT %r = (f32[6144]{0}, f32[96,64]{1,0}) tuple(%one, %two)
}
"""
    places = Places("torch", NODES).of(hlo.parse(text))
    copies = layouts.copies(units.leaves(places))
    assert [row.cells[-1] for row in layouts.stage(copies, places).tables[0].rows] == [True, False]
    (found,) = layouts.findings(copies, places)
    assert found.raw == "copy.3 in one"


def test_a_loops_counter_is_nothing_that_runs() -> None:
    text = """HloModule m
%body (t: (s32[], f32[8])) -> (s32[], f32[8]) {
  %t = (s32[], f32[8]{0}) parameter(0)
  %g = f32[8]{0} get-tuple-element(%t), index=1, metadata={op_name="f/op0/while"}
  ROOT %s = f32[8]{0} sine(%g), metadata={op_name="jit(f)/op1/sin"}
}
%condition (t.1: (s32[], f32[8])) -> pred[] {
  %t.1 = (s32[], f32[8]{0}) parameter(0)
  ROOT %c = pred[] constant(false)
}
ENTRY %main (x: f32[8]) -> f32[8] {
  %x = f32[8]{0} parameter(0)
  ROOT %w = f32[8] while(%x), condition=%condition, body=%body, metadata={op_name="f/op0/while"}
}
"""
    places = Places("torch", NODES).of(hlo.parse(text))
    assert [*edges.decisions(units.leaves(places), places)] == []
    assert [unit.name for unit in units.units(places.module)] == ["s", "w"]


@pytest.mark.parametrize(
    ("target", "kind"),
    [("lapack_spotrf_ffi", "library call"), ("xla_ffi_python_cpu_callback", "host sync")],
)
def test_a_call_of_something_else_is_a_finding(target: str, kind: str) -> None:
    text = f"""HloModule m
ENTRY %main (x: f32[8]) -> f32[8] {{
  %x = f32[8]{{0}} parameter(0)
  ROOT %c = f32[8] custom-call(%x), custom_call_target="{target}", metadata={{op_name="f/op4/p"}}
}}
"""
    (found,) = calls.findings(Places("torch", NODES).of(hlo.parse(text)))
    assert (found.kind, found.raw, found.nodes, found.line) == (kind, target, [4], 5)


def test_an_instruction_is_cut_out_with_what_it_calls_in_order(places: ModulePlaces) -> None:
    named = map(places.module.named, ("reduce_divide_fusion", "wrapped_reduce"))
    unit = next(filter(None, named))
    cut = hlo.parse(cut_out(unit, places.module))
    assert [*cut.computations] == ["region_0.2", *unit.called, "cut"]
    assert [i.opcode for i in cut.computations["cut"].instructions] == [
        *("parameter" for _ in unit.operands), "fusion",
    ]  # fmt: skip


@pytest.mark.cpu
def test_costs_are_xlas_own(places: ModulePlaces) -> None:
    (table,) = fusions.stage(places).tables
    costs = {row.cells[0]: row.cells[-3:] for row in table.rows}
    product = 2 * 16 * 16 * 32
    assert costs["dot_general.1"] == [product, 0, (2 * 32 * 16 + 16 * 16) * 4]
    flops, transcendentals, traffic = costs["maximum_sine_fusion"]
    assert flops == 2 * 32 * 16 and transcendentals == 32 * 16  # add, max; sin
    assert traffic == (2 * 32 * 16 + 16) * 4
