"""What is read of XLA's profiler, on what it recorded in each version of jaxlib: of compiling
`sampled/two_products.txt`, of a call of it, and of one that goes op by op."""

import pytest

from compiler_core.measure.recorded import Call
from compiler_core.reference import lanes
from compiler_core.reference.xla import hlo, pass_runs, profile, texts, timeline
from compiler_core.reference.xla.places import Places
from tests.compiler_core.reference import recordings
from tests.compiler_core.reference.xla.samples import NAMES, NODES, VERSIONS, sample

pytestmark = [pytest.mark.null, pytest.mark.parametrize("version", VERSIONS)]
AFTER = "cpu_after_optimizations.txt"
# The sum over rows and the division by it: which of them are fused changed between versions.
LAST = {
    "jaxlib-0.9.2": [("kernel", ["reduce_sum"]), ("kernel", ["div"])],
    "jaxlib-0.10.2": [("kernel", ["reduce_sum", "div"]), ("kernel", ["div"])],
    "jaxlib-0.11.0": [("kernel", ["reduce_sum", "div"]), ("kernel", ["div"])],
}


def recorded(version: str, name: str) -> Call:
    (call,) = profile.recorded(recordings.read(sample(version, f"{name}.tsv")), [0])
    return call


def test_the_passes_of_a_compilation_are_found_in_their_pipelines(version: str) -> None:
    runs = pass_runs.ran(recorded(version, "compiling").spans)
    found = {(each.pipeline, each.pass_) for each in runs}
    last = "HLO passes after layout assignment"
    assert {("simplification", "algsimp"), ("simplification", "dce"), (last, "fusion")} <= found
    pipelines = {pipeline for pipeline, _ in found}
    assert not any("(" in pipeline for pipeline in pipelines)
    assert pipelines.isdisjoint(name for _, name in found)


def test_what_runs_in_a_call_are_instructions_of_the_module_with_their_operations(
    version: str,
) -> None:
    text = texts.shown("hlo", hlo.parse(sample(version, AFTER)), Places("jax", NODES))
    events = timeline.events(recorded(version, "running"), [text])
    found = [(e.kind, [NAMES[n] for n in e.nodes]) for e in events]
    assert found == [
        ("kernel", ["add", "max"]),
        ("kernel", ["add", "max", "transpose"]),
        ("kernel", ["add", "max", "sin"]),
        ("kernel", ["add", "max", "transpose"]),
        ("library", ["dot_general"]),
        *LAST[version],
    ]


def test_op_by_op_each_primitive_is_a_call_of_its_own(version: str) -> None:
    called = lanes.dispatched(recorded(version, "op_by_op"))
    assert " ".join(lanes.short(span.name) for span in called) == (
        "add relu transpose sin matmul _reduce_sum true_divide transpose"
    )
