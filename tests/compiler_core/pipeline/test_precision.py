"""Which kernel brings which error, and which eager brings at the same place."""

from contextlib import contextmanager
from unittest import mock

import pytest

from compiler_core import report
from compiler_core.fuse import groups
from compiler_core.kernel.refusal import FusionRefusal
from compiler_core.pipeline import stages
from compiler_core.report.reasons import Reason
from compiler_core.report.text.whole import to_text
from tests.compiler_core.pipeline.located import explored
from tests.sweep_plugin import crossed

pytestmark = pytest.mark.cpu


# Each loses precision in its line 5 and computes something harmless before and after.
LOSING = {
    "the variance as a difference of squares": (
        "f32[64,512]",
        "y = ((x + 300) * (x + 300)).mean(-1) - (x + 300).mean(-1) * (x + 300).mean(-1)",
    ),
    "1 - cos x of small numbers": ("f32[64]", "y = 1 - torch.cos(x * 1e-3)"),
    "softmax without the maximum": (
        "f32[8,64]",
        "y = (x * 1000).exp() / (x * 1000).exp().sum(-1, keepdim=True)",
    ),
}
AROUND = """
# inputs: {inputs}
import torch
def f(x):
    {line}
    s, _ = torch.sort(y, -1)
    return s, torch.sort(x, -1)[0], x * 2
"""


@contextmanager
def unfused():
    """No two values share a kernel, nor is any computed by its reader."""
    refusal = FusionRefusal(Reason("forbidden", "forbidden"))
    alone = {"_begin_with_cones": lambda self: None, "_try": lambda self, *pair: refusal}
    kept = mock.patch.object(groups, "recomputed", lambda fused, model: fused)
    with mock.patch.multiple(groups._Fusion, **alone), kept:
        yield


def unoptimised():
    return mock.patch.object(stages, "PASSES", ())


@pytest.mark.parametrize(("name", "plan"), crossed(LOSING, [unfused, unoptimised, None]))
def test_the_kernel_that_loses_precision_is_named_whatever_the_plan(name, plan, monkeypatch):
    inputs, line = LOSING[name]
    with plan() if plan else mock.patch.object(stages, "PASSES", stages.PASSES):
        found = explored(AROUND.format(inputs=inputs, line=line), monkeypatch)
    worst = found.worst
    assert worst.own.differing and 5 in found.lines(worst)
    assert worst.own.max_ulps is None or worst.own.max_ulps > 1
    assert all(not e.own.differing for e in found.errors if 5 not in found.lines(e))


def test_a_sum_that_cancels_is_not_where_precision_is_lost(monkeypatch):
    found = explored(
        """
        # inputs: f32[512,64]
        import torch
        def f(x):
            y = torch.sort(x, 0)[0]
            total = (y - y.mean()).sum()
            return total, torch.sort(1 - torch.cos(x * 1e-2), -1)[0]
        """,
        monkeypatch,
    )
    (total,) = [e for e in found.errors if report.cancels(e.own)]
    assert total.own.max_rel > 1e-3 and total.own.of_terms < 1e-6
    assert found.worst is not total and 7 in found.lines(found.worst)
    assert "the sum cancels" in to_text(report.Report(programs=[found.program]))


def test_kernels_that_round_nothing_bring_no_error(monkeypatch):
    found = explored(
        """
        # inputs: f32[16,32], i64[40]
        import torch
        def f(x, i):
            return x.T.contiguous(), x.relu(), x.amax(-1), torch.sort(x), i * 3 % 7, x > 0, x * 2
        """,
        monkeypatch,
    )
    assert len(found.errors) >= 7
    for error in found.errors:
        assert error.own == error.accumulated == report.ErrorSize()


def test_what_a_sort_leaves_unwritten_has_no_error(monkeypatch):
    found = explored(
        """
        # inputs: f32[600,333]
        import torch
        def f(x):
            least = torch.topk(x, 7, largest=False)
            return least.values, least.indices, x.sort(-1).values[:, :5]
        """,
        monkeypatch,
    )
    assert all(not e.own.differing for e in found.errors)
    elements, kept = 600 * 333, 600 * 7
    (sort, *_) = [k for k in found.program.kernels if k.kind in ("sort", "top_k")]
    assert sort.bytes_read >= elements * 4 > sort.bytes_written >= kept * 4


BF16 = """
# inputs: bf16[64,64]
import torch
def f(x):
    return sum((x[:, i] for i in range(64)), x[:, 0])
"""


def test_a_sum_in_bf16_loses_in_eager_what_one_kernel_keeps(monkeypatch):
    (error,) = explored(BF16, monkeypatch).errors
    assert error.own.max_ulps <= 0.5 and not error.own.differing
    assert error.eager_own.max_ulps > 4 and error.eager_own.differing


def test_kernels_that_round_to_bf16_after_each_step_add_up_their_errors(monkeypatch):
    with unfused():
        errors = explored(BF16, monkeypatch).errors
    assert max(e.own.max_ulps for e in errors) <= 0.5
    assert errors[-1].accumulated.max_ulps > 4
    assert errors[-1].accumulated == errors[-1].eager_accumulated


def test_a_kernel_that_only_magnifies_an_error_does_not_bring_it(monkeypatch):
    with unfused():
        *_, log = explored(
            """
            # inputs: f32[64]
            import torch
            def f(x):
                return torch.log(1 + x * 1e-6)
            """,
            monkeypatch,
        ).errors
    assert log.own.max_ulps <= 1 and log.accumulated.max_rel > 1e-4


def test_what_is_brought_before_is_told_apart_from_what_is_brought_here(monkeypatch):
    found = explored(
        """
        # inputs: f32[64,64]
        import torch
        def f(x):
            y = torch.sort(1 - torch.cos(x * 1e-3), -1)[0]
            return y * 4
        """,
        monkeypatch,
    )
    last = found.errors[-1]
    assert last.own == report.ErrorSize()
    assert last.accumulated.max_rel > 1e-4
    assert last.eager_own == report.ErrorSize() and last.eager_accumulated.max_rel > 1e-4


def test_eager_has_its_error_at_the_same_place(monkeypatch):
    found = explored(
        """
        # inputs: f32[64,256]
        import torch
        def f(x):
            return torch.softmax(x, -1), torch.nn.functional.layer_norm(x, (256,))
        """,
        monkeypatch,
    )
    for op in ("softmax", "layer_norm"):
        (error,) = found.of(op)
        assert 0 < error.eager_own.max_ulps < 100 and 0 < error.own.max_ulps < 100


def test_jaxs_equations_are_eagers_operations(monkeypatch):
    found = explored(
        """
        # inputs: f32[64,256]
        import jax, jax.numpy as jnp
        def f(x):
            noise = jax.random.normal(jax.random.key(0, impl="rbg"), (8,))
            return jax.nn.softmax(x), noise, 1 - jnp.cos(x * 1e-3)
        """,
        monkeypatch,
    )
    assert all(e.eager_accumulated is not None for e in found.errors)
    (error,) = found.of("sub")[-1:]
    assert error.own.max_rel > 1e-4


def test_a_whole_loop_is_one_place(monkeypatch):
    found = explored(
        """
        import jax, jax.numpy as jnp
        @jax.jit
        def f(x):
            return jax.lax.scan(lambda c, row: (c * 0.9 + row, c.sum()), jnp.zeros(16), x)
        f(jnp.ones((50, 16)) / 3)
        """,
        monkeypatch,
    )
    (kernel,) = [k for k in found.program.kernels if (k.kind, k.backend) == ("scan", "cpu")]
    errors = [e for e in found.errors if e.kernel == kernel.id]
    assert len(errors) == 2
    assert all(0 < e.own.max_ulps < 100 and e.eager_own is not None for e in errors)


def test_each_graph_of_a_training_step_is_looked_at_on_what_it_was_given(monkeypatch):
    found = explored(
        """
        import torch
        m = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
        @torch.compile
        def step(x):
            loss = m(x).square().mean()
            loss.backward()
            return loss
        step(torch.randn(32, 8))
        """,
        monkeypatch,
    )
    graphs = {g.id for g in found.program.graphs if g.role in ("forward", "backward")}
    assert {e.graph for e in found.errors} == graphs
    assert all(e.own.max_rel < 1e-4 for e in found.errors)
    assert sum(e.eager_own is not None for e in found.errors) > len(found.errors) // 2


def test_sizes_that_vary_are_those_of_the_call(monkeypatch):
    found = explored(
        """
        # inputs: f32[B=24,64]
        import torch
        def f(x):
            return torch.softmax(x, -1), x.T.contiguous()
        """,
        monkeypatch,
    )
    assert len(found.errors) == 2 and all(e.eager_own is not None for e in found.errors)


def test_random_numbers_of_a_generator_have_no_float64(monkeypatch):
    found = explored(
        """
        # inputs: f32[24,64]
        import torch
        def f(x):
            return torch.nn.functional.dropout(x, 0.5)
        """,
        monkeypatch,
    )
    assert not found.errors
    assert (found.stage.status, "random numbers" in found.stage.summary) == ("skipped", True)


def test_the_command_line_shows_the_worst_kernels(monkeypatch):
    inputs, line = LOSING["1 - cos x of small numbers"]
    found = explored(AROUND.format(inputs=inputs, line=line), monkeypatch)
    shown = to_text(report.Report(programs=[found.program])).splitlines()
    (head,) = [i for i, text in enumerate(shown) if "ulps" in text]
    assert shown[head + 1].split()[0] == found.worst.kernel


def test_what_is_noted_beside_a_result_may_have_another_size_in_float64(monkeypatch):
    """An embedding bag's places are there in float64 alone."""
    found = explored(
        """
        import torch
        bag = torch.nn.EmbeddingBag(50, 8, mode="sum")
        bag(torch.randint(0, 50, (6, 4))).sin().sum().backward()
        """,
        monkeypatch,
    )
    assert found.stage.status == "ok" and found.errors


BY_PYTHON = """
# inputs: f32[4,8]
import torch
import torch.ao.quantization.fx._decomposed

own = torch.ops.quantized_decomposed
def f(x):
    q = own.quantize_per_tensor(x, 0.1, 0, -128, 127, torch.int8)
    return own.dequantize_per_tensor(q, 0.1, 0, -128, 127, torch.int8) * 2
"""


def test_a_kernel_in_python_that_asserts_its_type_runs_in_that(monkeypatch):
    found = explored(BY_PYTHON, monkeypatch)
    assert found.errors and not any(e.own.differing for e in found.errors)
