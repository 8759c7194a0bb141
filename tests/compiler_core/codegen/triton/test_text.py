"""What the generated Triton looks like."""

import pytest

from compiler_core.codegen.triton.emit import emit, emit_plan
from compiler_core.codegen.triton.module import module
from compiler_core.codegen.writer import Source
from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType
from compiler_core.kernel.kernel import Kernel
from compiler_core.plan.build import build_plan, values_of
from compiler_core.schedule.gpu.choice import choose_gpu
from compiler_core.schedule.targets import resolve
from tests.compiler_core.codegen.triton import kernels
from tests.compiler_core.codegen.tuples import extremum
from tests.compiler_core.plans import ON_GPU


def text(kernel: Kernel) -> str:
    parts, _ = choose_gpu(kernel, resolve("sm_90"))
    return "\n\n\n".join(_with_origins(emit(part).source) for part in parts)


def _with_origins(source: Source) -> str:
    return "\n".join(
        f"{line:88}{' '.join(map(str, nodes))}".rstrip()
        for line, nodes in zip(source.text.splitlines(), source.nodes, strict=False)
    )


def test_elementwise(golden):
    golden(text(kernels.bias_gelu(4096, 1024)))


def test_softmax_of_short_rows(golden):
    golden(text(kernels.softmax(4096, 300)))


def test_layer_norm_of_long_rows(golden):
    golden(text(kernels.layer_norm(512, 40000)))


def test_mean_in_parts(golden):
    golden(text(kernels.mean(4_000_001)))


def test_arg_max_of_long_rows(golden):
    golden(text(extremum("argmax", "row", 4096, 100_000)))


def test_transpose(golden):
    golden(text(kernels.transpose_add(2048, 4096)))


def test_softmax_over_columns(golden):
    golden(text(kernels.softmax_down(1000, 4096)))


def test_rows_of_a_table(golden):
    golden(text(kernels.embedded_norm(4096, 512, 50257)))


@pytest.mark.parametrize("numel", [4096, 4000])
def test_a_mask_only_where_the_last_block_is_not_full(numel):
    kernel = kernels.each({"tanh": (1, kernels.F32)}, kernels.F32, numel)
    assert ("mask=" in text(kernel)) == (numel == 4000)


def test_a_word_in_a_comment_brings_no_helper_along():
    function = Source(
        "f", "python", "def f():\n    # The product stays in registers.\n    pass", [[]] * 3
    )
    assert "def product" not in module(function).text


def test_a_matrix_times_itself_is_one_argument():
    b = Builder()
    x = b.parameter(TensorType(F32, (64, 64)))
    graph = b.graph("square", [b.dot_general(x, x, contract=((1,), (0,)))])
    sources = emit_plan(build_plan(fuse(values_of(graph)), ON_GPU))
    (source,) = sources.values()
    assert [buffer.name for buffer in source.launch.arguments] == ["in0", "out0"]
