"""TorchInductor opened up, through the real compiler."""

import functools
import os
import re

import pytest
import torch
from torch._inductor import config
from torch._inductor.graph import GraphLowering
from torch.utils._triton import has_triton

from compiler_core import report
from compiler_core.reference.inductor import process
from compiler_core.reference.inductor.gpu_stand_in import properties
from compiler_core.schedule.targets import TARGETS
from tests.compiler_core.reference.looking import looked, stages_of

pytestmark = pytest.mark.cpu
# As this build of torch has it, before anything stands in for a GPU.
_ASKED = "_cuda_cudaCachingAllocator_is_enabled"
BUILD = torch.version.cuda, torch._C.__dict__.get(_ASKED)

SNIPPET = """
import torch
import torch.nn.functional as F

@torch.compile
def f(x, b, w):
    y = F.gelu(x + b)
    return torch.softmax(y.clone(), -1), (y @ w).relu()

f(torch.randn(8, 32), torch.randn(32), torch.randn(32, 4))
"""


GPU = ["post-grad passes", "scheduler", "fusion", "Triton", "memory", "CUDA graphs"]


@functools.cache
def program() -> report.Program:
    (found,) = looked(SNIPPET, "inductor").programs
    return found


@functools.cache
def stages() -> dict[str, report.Stage]:
    return {stage.name: stage for stage in stages_of(program(), "inductor")}


def ids(op: str) -> list[int]:
    return [node.id for node in program().nodes if node.op == op]


def table(stage: str) -> report.Table:
    return stages()[stage].tables[0]


def test_the_stages_are_inductors_in_its_order():
    assert list(stages()) == [
        "pre-grad passes", "joint passes", "post-grad passes", "scheduler", "fusion", "C++",
        "memory", "Triton for NVIDIA H100 SXM", *(f"{name}, sm_90" for name in GPU), "compile time",
    ]  # fmt: skip
    assert {s.status for s in stages().values()} == {"ok"}


def test_passes_are_shown_before_and_after_with_what_each_took():
    stage = stages()["joint passes"]
    before, after = stage.artifacts
    assert "aten.clone" in before.text and "aten.clone" not in after.text
    assert len(before.nodes) == len(before.text.splitlines())
    passes = {row.cells[0] for table in stage.tables for row in table.rows}
    assert "remove_noop_ops" in passes


def test_decomposed_operations_lead_to_what_they_were_in_the_snippet():
    text = stages()["post-grad passes"].artifacts[-1]
    by_line = dict(zip(text.text.splitlines(), text.nodes, strict=True))
    (erf,) = (nodes for line, nodes in by_line.items() if "aten.erf" in line)
    (mm,) = (nodes for line, nodes in by_line.items() if "aten.mm" in line)
    assert erf == ids("aten.gelu") and mm == ids("aten.mm")


def test_a_refused_fusion_has_inductors_own_reason_and_both_sides():
    (mm,) = ids("aten.mm")
    decisions = [d for d in program().fusion_decisions if not d.fused]
    assert any("library call" in d.reason and mm in d.from_nodes + d.to_nodes for d in decisions)
    assert all(d.from_nodes and d.to_nodes for d in decisions)


def test_a_fusion_is_a_decision_of_its_own():
    fused = [d for d in program().fusion_decisions if d.fused]
    assert any({*ids("aten._softmax")} <= {*d.from_nodes, *d.to_nodes} for d in fused)


def test_a_refusal_that_costs_bytes_is_a_finding_in_plain_words():
    found = [f for f in program().findings if f.kind == "not fused"]
    assert found and all(f.bytes and f.why and f.line for f in found)
    assert any("library" in f.why and f.raw for f in found)


def test_kernels_have_their_operations_loops_and_bytes():
    rows = table("C++").rows
    kinds = {row.cells[1] for row in rows}
    assert "cpp_pybinding" in kinds and "call of extern_kernels.mm" in kinds
    kernel = next(row for row in rows if row.cells[1] == "cpp_pybinding")
    assert "8 | 32" in kernel.cells[3] and kernel.cells[4] >= 8 * 32 * 4


def test_lines_of_the_generated_code_lead_to_the_operations():
    (text,) = stages()["C++"].artifacts
    lines = text.text.splitlines()
    assert len(text.nodes) == len(lines)
    (erf, *_) = (i for i, line in enumerate(lines) if ".erf()" in line)
    (call,) = (i for i, line in enumerate(lines) if "extern_kernels.mm(" in line)
    assert text.nodes[erf] == ids("aten.gelu") and {*ids("aten.mm")} <= {*text.nodes[call]}


@pytest.mark.parametrize("stage", ["C++", "Triton, sm_90"])
def test_within_a_kernel_each_line_leads_to_its_own_operations(stage):
    (text,) = stages()[stage].artifacts
    told = [*zip(text.text.splitlines(), text.nodes, strict=True)]
    added = [node.id for node in program().nodes if node.op.startswith("aten.add")]
    (soft,) = ids("aten._softmax")
    exp = [nodes for line, nodes in told if ".exp()" in line or "libdevice.exp(" in line]
    assert exp and all(nodes == [soft] for nodes in exp)
    values = [nodes for line, nodes in told if re.search(r"\btmp\d+ = ", line)]
    assert values and added in values and all(values)
    # What is no value of one operation is the whole kernel's.
    assert any(len(nodes) > 1 for line, nodes in told if "tl.program_id" in line or "for(" in line)


def test_a_kernel_that_only_moves_elements_and_a_library_call_are_findings_with_bytes():
    (found,) = looked(COPIES, "inductor").programs
    told = {f.kind: f for f in found.findings if f.compiler == "inductor"}
    assert told["layout copy"].bytes == 2 * 8 * 32 * 4 and told["layout copy"].line == 6
    assert told["library call"].bytes == 2 * 8 * 8 * 4  # w is read once
    assert "extern_kernels.mm" in told["library call"].what


MERGED = """
import torch

@torch.compile
def f(x, w, b):
    h = torch.sin(x) * 2
    y = h.t() @ w
    return torch.relu(y + b)

f(torch.randn(8, 16), torch.randn(8, 32), torch.randn(32))
"""


def test_a_library_call_is_what_it_computes_without_what_computes_its_operands():
    (found,) = looked(MERGED, "inductor", target="none").programs
    # There is nothing beside what runs.
    assert all(stage.backend != "gpu" for stage in found.stages)
    names = {node.id: node.op for node in found.nodes}
    (call,) = [g for g in found.fusion_groups if g.backend == "cpu" and g.kind.startswith("call")]
    assert [names[i] for i in call.nodes] == ["aten.t", "aten.mm", "aten.add.Tensor"]
    (told,) = [f for f in found.findings if f.kind == "library call"]
    assert told.what == "permute, addmm (lines 7, 8) is extern_kernels.addmm"
    (mul,) = [i for i, op in names.items() if op == "aten.mul.Tensor"]
    own = [d for d in found.fusion_decisions if d.backend == "cpu" and mul in d.from_nodes]
    assert {d.fused for d in own if mul not in d.to_nodes} == {False}


COPIES = """
import torch

@torch.compile
def f(x, w):
    return x.t().contiguous(), w @ w

f(torch.randn(8, 32), torch.randn(8, 8))
"""


def test_compile_time_is_told_by_phase():
    phases = {str(row.cells[0]).strip() for row in table("compile time").rows}
    assert {"bytecode_tracing", "GraphLowering.run", "Scheduler.__init__"} <= phases


def test_a_look_leaves_nothing_of_inductors_settings():
    before = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    looked(SNIPPET, "inductor")
    assert not config.force_disable_caches and GraphLowering.save_output_code is None
    assert GraphLowering._compile_to_module.__name__ == "_compile_to_module"
    assert os.environ.get("TORCHINDUCTOR_CACHE_DIR") == before


def test_what_is_compiled_again_when_it_is_called_is_in_this_process_s_own_files(monkeypatch):
    """Whoever compiles another program has torch forget the first; in files that are shared it
    would be found again, and none of its kernels be seen."""
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)
    with process.private(reset=False):
        own = os.environ["TORCHINDUCTOR_CACHE_DIR"]
    assert "fuselab-inductor-" in own and os.environ["TORCHINDUCTOR_CACHE_DIR"] == own


def on_gpu(base: str) -> report.Stage:
    return stages()[f"{base}, sm_90"]


def test_triton_for_the_target_is_written_on_a_machine_without_a_gpu():
    (text,) = on_gpu("Triton").artifacts
    assert "@triton.jit" in text.text and "cc=90" in text.text and "/tmp/" not in text.text
    lines = text.text.splitlines()
    (erf, *_) = (i for i, line in enumerate(lines) if "libdevice.erf" in line)
    assert text.nodes[erf] == ids("aten.gelu")


@pytest.mark.parametrize("target", [t for t in TARGETS.values() if t.backend == "cuda"])
def test_every_board_has_the_properties_that_inductor_reads(target):
    of_board = properties(target, divmod(target.arch, 10))
    assert of_board.major * 10 + of_board.minor == target.arch
    assert of_board.L2_cache_size > of_board.shared_memory_per_block_optin


def test_a_write_to_a_slice_is_written_for_the_target_too():
    source = """
        import torch

        def update(cache, k):
            cache[:, 3:4] = k
            return cache * 2

        update(torch.zeros(2, 16, 8), torch.ones(2, 1, 8))
    """
    (program,) = looked(source, "inductor").programs
    found = {s.name: s for s in program.stages}
    assert "@triton.jit" in found["Triton, sm_90"].artifacts[0].text


SIZES = {
    "a number from a size": "torch.softmax(a @ b.T / a.shape[-1] ** 0.5, -1)",
    "a difference of sizes": "torch.nn.functional.pad(a, (0, b.shape[-1] - a.shape[-1])) + 1",
}


@pytest.mark.parametrize("body", SIZES.values(), ids=SIZES)
def test_triton_for_the_target_is_written_where_sizes_vary(body):
    program = looked(
        f"""
        import torch

        @torch.compile(dynamic=True)
        def f(a, b):
            return {body}

        f(torch.randn(6, 8), torch.randn(7, {8 if "@" in body else 11}))
        """,
        "inductor",
        target="sm_90",
    ).programs[0]
    (stage,) = [s for s in program.stages if s.name.startswith("Triton for")]
    assert stage.status == "ok", stage.summary
    texts = [a.text for s in program.stages for a in s.artifacts if a.language == "python"]
    assert any("@triton.jit" in text and "ks0" in text for text in texts)


VALUES = """
import torch

torch._dynamo.config.capture_scalar_outputs = True

@torch.compile
def f(a, at):
    n = at.max().item()
    torch._check(n >= 0)
    torch._check(n < a.shape[0])
    return a[n] * 2, a.sort(stable=True)[1]

f(torch.randn(10, 4), torch.randint(0, 10, (5,)))
"""


def test_what_is_no_library_is_no_librarys_call():
    """Numbers that Python asks for, what is asserted of them, and the parts of a call's results."""
    with torch._dynamo.config.patch(capture_scalar_outputs=False):  # and that it is left so
        (program,) = looked(VALUES, "inductor").programs
    called = {f.what.partition(" is ")[2] for f in program.findings if f.kind == "library call"}
    assert called == {"torch.ops.aten.sort.stable"}


def test_what_is_the_gpus_hangs_under_a_stage_and_says_so():
    under = [s for s in stages().values() if s.parent]
    assert {s.parent for s in under} == {"Triton for NVIDIA H100 SXM"}
    assert {s.backend for s in under} == {"gpu"}
    assert {d.backend for d in program().fusion_decisions} == {"cpu", "gpu"}


def test_what_runs_as_one_is_a_group_of_captured_operations() -> None:
    groups = [g for g in program().fusion_groups if g.backend == "cpu"]
    assert {node for g in groups for node in g.nodes} <= {node.id for node in program().nodes}
    assert any(g.name.startswith("cpp_fused") and g.bytes for g in groups)
    (product,) = [g for g in groups if g.kind.startswith("call of")]
    assert product.nodes


def test_a_pattern_of_the_gpus_is_told_with_the_operation_it_replaced():
    (patterns, *_) = on_gpu("post-grad passes").tables
    rows = {row.cells[0]: row for row in patterns.rows}
    assert rows["prepare_softmax_pattern"].nodes == ids("aten._softmax")
    online = next(row for row in on_gpu("scheduler").tables[0].rows if "online" in row.cells[2])
    assert {*ids("aten._softmax")} <= {*online.nodes}


def test_cuda_graphs_are_told_of_where_there_is_no_gpu():
    asked = "torch.compile(mode='reduce-overhead')"
    assert on_gpu("CUDA graphs").summary == f"not asked for; {asked} would replay this graph"


def test_a_stand_in_for_a_gpu_leaves_nothing_behind():
    program()
    assert not torch.cuda.is_available()
    assert (torch.version.cuda, torch._C.__dict__.get(_ASKED)) == BUILD
    assert not has_triton()


def test_a_target_that_this_torch_cannot_write_for_is_one_sentence():
    (found,) = looked(SNIPPET, "inductor", target="gfx942").programs
    (stage,) = (s for s in stages_of(found, "inductor") if s.status == "skipped")
    assert "ROCm" in stage.summary and stage.name == "Triton for AMD MI300X"


GRAPHS = """
import torch

@torch.compile(mode="reduce-overhead", dynamic=True)
def f(x):
    return x.relu() + 1

@torch.compile(mode="reduce-overhead")
def g(x):
    return x.mul_(2) + 1

@torch.compile(mode="reduce-overhead")
def h(x):
    return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

f(torch.randn(8, 32))
g(torch.randn(8, 32))
h(torch.randn(8, 32))
"""


def test_what_the_snippet_asked_of_torch_compile_holds_for_the_look():
    found, written, chosen = looked(GRAPHS, "inductor").programs
    said = [
        stage.summary
        for program in (written, chosen)
        for stage in stages_of(program, "inductor")
        if stage.name == "CUDA graphs, sm_90"
    ]
    assert said[0].startswith("skipped: it writes into what it is given")
    assert said[0].endswith("(line 10)")
    assert said[1] == "skipped: torch.cond chooses while it runs (line 14)"
    own = {s.name: s for s in stages_of(found, "inductor")}
    assert own["CUDA graphs"].summary == "skipped: the program's tensors are on the CPU"
    assert own["CUDA graphs, sm_90"].summary == "taken"
    assert "f32[s" in own["post-grad passes"].artifacts[-1].text
    # What may be replayed is a function of its own.
    assert [row.cells[0] for row in own["memory, sm_90"].tables[0].rows] == ["buf0"]


JAX = """
# inputs: f32[64,128], f32[128,32]
import jax

def f(x, w):
    h = jax.nn.gelu(x @ w)
    return jax.nn.softmax(h, axis=-1)
"""


def test_a_jax_programs_code_leads_to_the_lines_of_the_snippet():
    (program,) = looked(JAX, "inductor").programs
    line_of = {node.id: node.line for node in program.nodes}
    (stage,) = (s for s in program.stages if s.compiler == "inductor" and s.name == "C++")
    (code,) = stage.artifacts
    lines = [*zip(code.text.splitlines(), code.nodes, strict=True)]
    loops = [{line_of[n] for n in nodes} for text, nodes in lines if "for(" in text]
    assert loops and all(found == {6, 7} for found in loops)  # one kernel, of both lines
    calls = [{line_of[n] for n in nodes} for text, nodes in lines if "extern_kernels.mm" in text]
    assert calls == [{6}]
