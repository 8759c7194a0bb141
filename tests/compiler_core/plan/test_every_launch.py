"""Every launch says what was considered for it, what that costs by the model, and why it was
chosen: programs of every kind of step, planned for both backends."""

import itertools
from functools import cache, reduce

import pytest

from compiler_core import report
from compiler_core.pipeline import order
from tests.compiler_core.candidates import unexplained
from tests.compiler_core.snippets import JAX, TORCH

pytestmark = pytest.mark.cpu

PLANNED = ("capture", "passes", "target passes", "fuse", "schedule")

# The framework, the body, and the shapes of x, y, z.
PROGRAMS = {
    "small elementwise": ("torch", "return torch.sin(x) * 2", (8, 16)),
    "pooling": ("torch", "return F.max_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 2)", (8, 16, 64, 64)),
    "one pooled row": ("torch", "return F.avg_pool1d(x, 5, 2)", (1, 1, 100_000)),
    "pooling of few places": ("torch", "return F.adaptive_avg_pool2d(x, 1)", (2, 3, 224, 224)),
    "few long rows": ("torch", "return torch.softmax(x, -1), x.argmax(-1)", (3, 200_000)),
    "running values": ("torch", "return x.cumsum(1), x.cummax(0)[0]", (64, 5000)),
    "transpose": ("torch", "return x.t() + y", (300, 500), (500, 300)),
    "convolution": ("torch", "return F.relu(F.conv2d(x, y)) + 1", (2, 16, 32, 32), (32, 16, 3, 3)),
    "depthwise": (
        "torch", "return F.conv2d(x, y, padding=1, groups=32)", (2, 32, 56, 56), (32, 1, 3, 3),
    ),
    "convolution of large windows": (
        "torch", "return F.relu(F.conv2d(x, y))", (2, 8, 36, 36), (8, 8, 33, 33),
    ),
    "attention": (
        "torch", "return F.scaled_dot_product_attention(x, y, y)", (4, 8, 64, 64), (4, 8, 512, 64),
    ),
    "attention of one row": (
        "torch", "return F.scaled_dot_product_attention(x, y, y)", (4, 8, 1, 64), (4, 8, 512, 64),
    ),
    "product with ends": (
        "torch", "return F.gelu(F.layer_norm(x, (256,)) @ y) + x", (128, 256), (256, 256),
    ),
    "small product": ("torch", "return x @ y", (4, 4), (4, 4)),
    "product of bf16": ("torch", "return x.bfloat16() @ y.bfloat16()", (512, 512), (512, 512)),
    "product with a long inner dimension": (
        "torch", "return torch.relu(x @ y + z)", (64, 16384), (16384, 64), (64,),
    ),
    "product of one row": ("torch", "return torch.tanh(y @ x + z)", (4096,), (2048, 4096), (2048,)),
    "order": ("torch", "return x.sort()[0], x.topk(200)[1], x.topk(8)[0]", (64, 4000)),
    "scatter": ("torch", "return x.index_add(0, torch.arange(64), y)", (1000, 64), (64, 64)),
    "scatter of many rows": (
        "torch", "return x.index_add(0, torch.arange(4096) * 7 % 50257, y)",
        (50257, 512), (4096, 512),
    ),
    "sort of a long row": ("torch", "return x.sort()[1]", (1_000_000,)),
    "sum of all": ("torch", "return x.sum()", (4_000_000,)),
    "library": ("torch", "return torch.linalg.qr(x)[0] + 1", (32, 32)),
    "scan": ("jax", "return jax.lax.scan(lambda c, r: (c * r, c + r), x[0], x)", (50, 200)),
    "branch with a library call": (
        "jax",
        "return jax.lax.cond(x.sum() > 0, lambda v: jnp.linalg.qr(v)[0], jnp.sin, x)",
        (8, 8),
    ),
    "while": (
        "jax", "return jax.lax.while_loop(lambda c: c.sum() > 1, lambda c: c / 2, x)", (1000,),
    ),
    "branch": (
        "jax",
        "return jax.lax.cond(x.sum() > 0, lambda v: jnp.sort(v), lambda v: v @ v.T @ v, x)",
        (64, 64),
    ),
}  # fmt: skip


def source_of(name: str) -> str:
    framework, body, *shapes = PROGRAMS[name]
    text, ones = (TORCH, "torch.ones") if framework == "torch" else (JAX, "jnp.ones")
    parameters, arguments = "xyz"[: len(shapes)], (f"{ones}({shape})" for shape in shapes)
    return text.format(parameters=", ".join(parameters), body=body, arguments=", ".join(arguments))


@cache
def planned(name: str) -> report.Program:
    """The program's plans for a CPU and for a GPU; nothing is compiled."""
    events: list[report.Event] = []
    stages = tuple(stage for stage in order.PIPELINE if stage.name in PLANNED)
    options = report.Options(measure=False, device="cpu", target="sm_90")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(order, "PIPELINE", stages)
        order.explore(source_of(name), options, events.append)
    (program,) = reduce(report.apply, events, report.Report()).programs
    assert program.error is None, program.error
    return program


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_launch_was_chosen_among_candidates_with_costs_and_a_reason(name: str) -> None:
    kernels = planned(name).kernels
    assert {kernel.backend for kernel in kernels} == {"cpu", "gpu"}
    assert [found for kernel in kernels for found in unexplained(kernel)] == []


def of_kind(name: str, backend: str, kind: str) -> report.Kernel:
    (found,) = (k for k in planned(name).kernels if (k.backend, k.kind) == (backend, kind))
    return found


def test_a_loop_may_be_driven_by_c_or_by_the_host() -> None:
    by_c, by_host = of_kind("scan", "cpu", "scan").candidates
    assert by_c.chosen and by_c.cost_us < by_host.cost_us
    inner = [k for k in planned("scan").kernels if k.backend == "cpu" and "body" in k.id]
    each_us = sum(c.cost_us for k in inner for c in k.candidates if c.chosen)
    assert by_c.cost_us == pytest.approx(50 * each_us)


def test_a_branch_with_a_step_that_c_does_not_run_says_which() -> None:
    by_c, by_host = of_kind("branch with a library call", "cpu", "case").candidates
    assert by_host.chosen and by_c.cost_us is None and "is not run by C" in by_c.reason


def test_a_loop_on_a_gpu_is_driven_by_the_host() -> None:
    refused, by_host = of_kind("scan", "gpu", "scan").candidates
    assert by_host.chosen and refused.cost_us is None and "Triton" in refused.reason


@pytest.mark.parametrize("backend", ["cpu", "gpu"])
def test_a_library_call_says_why_there_is_no_kernel(backend: str) -> None:
    refused, called = of_kind("library", backend, "librarycall").candidates
    assert refused.strategy == "kernel" and refused.cost_us is None and refused.reason
    assert called.chosen and "qr" in called.reason


def test_a_kernel_beside_a_convolution_shows_its_own_candidates() -> None:
    kernels = (k for k in planned("convolution of large windows").kernels if k.backend == "cpu")
    conv, end = itertools.dropwhile(lambda k: k.kind != "convolution", kernels)
    assert {c.strategy for c in conv.candidates} == {"direct", "convolution"}
    assert {c.strategy for c in end.candidates} == {"flat"}
