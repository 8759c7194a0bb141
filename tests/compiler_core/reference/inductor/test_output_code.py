"""Reading the modules that TorchInductor writes, of each version that a sample is stored of."""

from pathlib import Path

import pytest

from compiler_core.reference.inductor import memory, output_code

pytestmark = pytest.mark.null

VERSIONS = sorted((Path(__file__).parent / "samples").iterdir())
versions = pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)


@versions
@pytest.mark.parametrize("device, kind", [("cpu", "cpp_pybinding"), ("cuda", "triton")])
def test_each_line_belongs_to_its_kernel_or_to_the_buffers_it_names(version, device, kind):
    code = output_code.parsed((version / f"{device}.txt").read_text())
    assert set(code.kernels.values()) == {kind}
    (first, *_) = code.kernels
    nodes = code.nodes({first: [7], "buf0": [8]})
    lines = code.text.splitlines()
    assert len(nodes) == len(lines)
    inside = [line for line, ids in zip(lines, nodes, strict=True) if ids == [7]]
    assert any("tmp" in line for line in inside) and not any("def call" in x for x in inside)
    assert any(8 in ids and "buf0" in line for line, ids in zip(lines, nodes, strict=True))


@versions
def test_no_path_of_a_machine_is_shown(version):
    text = output_code.parsed((version / "cuda.txt").read_text()).text
    assert "kernel path" not in text and "/tmp/" not in text


@versions
@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_the_calls_are_those_of_the_function_that_runs(version, device):
    lines = output_code.calls((version / f"{device}.txt").read_text())
    assert lines[0].endswith("= args") and lines[-1].startswith("return (")


@versions
def test_memory_is_made_reused_and_let_go_where_the_wrapper_says(version):
    values = memory.lifetimes(output_code.calls((version / "cpu.txt").read_text()))
    by_name = {v.name: v for v in values}
    reused = [v for v in values if v.of]
    assert reused and all(by_name[v.of].bytes == v.bytes for v in reused)
    assert all(by_name[v.of].last == v.first for v in reused)
    assert any(v.last is None for v in values), "what is returned is not let go"


def test_the_peak_counts_a_reused_buffer_once():
    lines = [
        "buf0 = empty_strided_cpu((4, 8), (8, 1), torch.float32)",
        "buf1 = buf0; del buf0  # reuse",
        "buf2 = empty_strided_cpu((s0, 8), (8, 1), torch.float64)",
        "buf3 = empty_strided_cpu((), (), torch.float64)",
        "del buf1",
        "buf4 = empty_strided_cpu((2, ), (1, ), torch.bfloat16)",
    ]
    values = memory.lifetimes(lines)
    assert [v.bytes for v in values] == [128, 128, None, 8, 4]
    assert memory.peak(values) == 136
    told = "at most 136 bytes at once beside inputs, and 1 buffer whose size is a symbol"
    assert memory.at_once(values) == told
    assert memory.at_once(values[:1]) == "at most 128 bytes at once beside inputs"


def test_a_text_of_another_kind_has_no_kernels_and_no_calls():
    code = output_code.parsed("module {\n  func\n}\n")
    assert not code.kernels and code.nodes({"buf0": [1]}) == [[], [], []]
    assert output_code.calls(code.text) == [] and memory.lifetimes([]) == []
