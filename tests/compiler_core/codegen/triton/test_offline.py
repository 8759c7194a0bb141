"""Compiling for GPUs that are not here: artifacts, resources, and the way back to the source."""

import itertools
import os
import re
import time
from dataclasses import replace

import pytest

from compiler_core.codegen.triton import offline
from compiler_core.codegen.triton.emit import emit
from compiler_core.codegen.triton.module import TritonSource
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.codegen.writer import Source
from compiler_core.errors import ToolchainError
from compiler_core.ir.types import BF16
from compiler_core.kernel.effects import Phase
from compiler_core.kernel.kernel import Kernel
from compiler_core.schedule.gpu.choice import choose_gpu
from compiler_core.schedule.targets import DEFAULT, TARGETS, resolve
from tests.compiler_core.codegen.triton import kernels
from tests.compiler_core.codegen.tuples import extremum, of_floats, running, running_extremum
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

KINDS = {
    "flat": kernels.bias_gelu(4096, 1024),
    "rows": kernels.softmax(4096, 300, BF16),
    "row": kernels.layer_norm(512, 4096),
    "looped": kernels.softmax(4096, 40000),
    "column": kernels.softmax_down(1000, 4096),
    "tiled": kernels.transpose_last(8, 1000, 4096, BF16),
    "down": kernels.softmax_down(40000, 4096),
    "split": kernels.mean(4_000_001),
    "arg max": extremum("argmax", "row", 4096, 40000),
    "arg min": extremum("argmin_last", "row", 4096, 300, BF16),
    "welford": of_floats("welford", "column", 40000, 4096),
    "scan": running("add", "row", 4096, 300),
    "scan in blocks": running_extremum("argmax_last", "row", 4096, 40000),
    "scan down": running("maximum", "column", 40000, 4096),
    "online softmax": of_floats("online_softmax", "row", 4, 400_000),
}
STORE = {
    "ttir": "tt.store",
    "ttgir": "tt.store",
    "ptx": "st.global",
    "sass": "STG",
    "llir": "st.global",
}


def printed(kernel: Kernel, target: str = "sm_90") -> TritonSource:
    ((part,), _) = choose_gpu(kernel, resolve(target))
    return emit(part)


def lines_with(source: Source, text: str) -> list[tuple[int, ...]]:
    return [
        n for line, n in zip(source.text.splitlines(), source.nodes, strict=False) if text in line
    ]


# Each kind for one of the two vendors.
COMPILED = list(itertools.product(KINDS, TARGETS))
KEPT = list(zip(KINDS, itertools.cycle(("sm_90", "gfx942")), strict=False))


@pytest.mark.parametrize(("kind", "target"), thinned(COMPILED, KEPT))
def test_every_kind_of_kernel_compiles_for_every_target(kind, target):
    parts, _ = choose_gpu(KINDS[kind], resolve(target))
    for part in parts:
        compiled = compile_offline(emit(part), target)
        assert list(compiled.texts)[:3] == ["ttir", "ttgir", "llir"]
        assert compiled.launch.entry in compiled.assembly.text
        assert 0 < compiled.registers <= 255 and compiled.spills == 0
        assert compiled.shared_bytes <= resolve(target).shared_bytes
        assert compiled.num_warps == compiled.launch.num_warps


@pytest.mark.parametrize("kind", STORE)
def test_a_store_leads_back_to_the_operation_that_stores(kind):
    compiled = compile_offline(printed(kernels.bias_gelu(4096, 1024)), "sm_90")
    text = compiled.sass() if kind == "sass" else compiled.texts[kind]
    stores = lines_with(text, STORE[kind])
    assert stores and set(stores) == {(4,)}


def test_an_amd_store_leads_back_too():
    compiled = compile_offline(printed(kernels.bias_gelu(4096, 1024), "gfx942"), "gfx942")
    stores = lines_with(compiled.assembly, "global_store")
    assert stores and set(stores) == {(4,)}


def test_a_line_inside_an_inlined_fold_leads_to_the_fold():
    compiled = compile_offline(printed(kernels.softmax(4096, 4096)), "sm_90")
    assert set(lines_with(compiled.assembly, "max.NaN.f32")) == {(2,)}
    assert set(lines_with(compiled.assembly, "shfl.sync")) == {(2,), (5,)}
    assert set(lines_with(compiled.sass(), "FMNMX.NAN")) == {(2,)}
    assert lines_with(compiled.texts["ttir"], '"tt.reduce"') == [(2,), (5,)]


def test_texts_are_shown_without_debug_information():
    compiled = compile_offline(printed(kernels.bias_gelu(4096, 1024)), "sm_90")
    whole = "\n".join(source.text for source in compiled.texts.values())
    assert not re.search(r"loc\(#|!dbg|DILocation|\.debug_|\.loc\b|kernel_0_entry", whole)


def test_every_line_of_a_text_is_in_its_line_map():
    compiled = compile_offline(printed(kernels.bias_gelu(4096, 1024)), "sm_90")
    for source in (*compiled.texts.values(), compiled.sass()):
        assert len(source.nodes) == len(source.text.split("\n"))


def test_contiguous_accesses_are_vectors():
    compiled = compile_offline(printed(kernels.bias_gelu(4096, 1024)), "sm_90")
    assert "ld.global.v4.b32" in compiled.assembly.text
    assert "st.global.v4.b32" in compiled.assembly.text


def renamed(kernel: Kernel) -> Kernel:
    """The same computation on a buffer of another name, made by other operations."""
    x, y = kernel.buffers
    return replace(
        kernel,
        name="other",
        buffers=(replace(x, name="q"), y),
        defs=tuple(replace(d, buffer="q") for d in kernel.defs),
        phases=tuple(
            Phase(tuple(replace(e, origins=(9,)) for e in phase.effects)) for phase in kernel.phases
        ),
    )


def test_kernels_that_differ_in_names_and_origins_are_compiled_once():
    first = kernels.column_sum(512, 4096 * 8)
    before = offline._compile.cache_info()
    a, b = (compile_offline(printed(k), "sm_90") for k in (first, renamed(first)))
    after = offline._compile.cache_info()
    assert (after.misses, after.hits) == (before.misses + 1, before.hits + 1)
    assert "q_ptr" in b.texts["ttir"].text and "other" in b.assembly.text
    assert set(lines_with(a.assembly, "st.global")) == {(2,)}
    assert set(lines_with(b.assembly, "st.global")) == {(9,)}


def test_a_refused_kernel_is_one_sentence_with_its_name():
    source = printed(kernels.mean(77))
    broken = source.source.text.replace("tl.sum(", "tl.no_such_thing(")
    bad = TritonSource(Source("mean", "python", broken, source.source.nodes), source.launch)
    with pytest.raises(ToolchainError, match=r"Triton refused mean for sm_80: .+") as caught:
        compile_offline(bad, "sm_80")
    assert "\n" not in caught.value.message and caught.value.remedy
    assert "no_such_thing" in caught.value.message and "at 5" not in caught.value.message


def test_a_fault_within_a_helper_is_told_with_the_helpers_own_line():
    source = printed(kernels.softmax(4096, 300))
    broken = source.source.text.replace("tl.maximum(a, b", "tl.maximum(a.no_such_thing, b")
    assert broken != source.source.text
    bad = TritonSource(Source("softmax", "python", broken, source.source.nodes), source.launch)
    with pytest.raises(ToolchainError) as caught:
        compile_offline(bad, "sm_90")
    assert "no_such_thing" in caught.value.message.partition(", in `")[0]
    assert "return tl.maximum(a.no_such_thing, b" in caught.value.message


def test_auto_is_a_known_target():
    import torch

    expected = {DEFAULT} if not torch.cuda.is_available() else set(TARGETS)
    assert resolve("auto").name in expected


def test_warm_leaves_no_thread():
    before = os.listdir("/proc/self/task")
    offline.warm()
    assert os.listdir("/proc/self/task") == before


def test_a_second_compilation_costs_almost_nothing():
    source = printed(kernels.softmax(128, 512))
    compile_offline(source, "sm_90")
    started = time.perf_counter()
    again = compile_offline(source, "sm_90")
    assert again.ms <= (time.perf_counter() - started) * 1e3
    assert again.ms < sum(again.kernel.ms.values())
