"""Snippets with sizes that vary: compiled once, checked at three sizes, and said so."""

import pytest

from compiler_core import report
from compiler_core.measure import numerics
from tests.compiler_core.pipeline.varying import checked, explored, text
from tests.sweep_plugin import thinned

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]


PROGRAMS = {
    "bias and gelu": "F.gelu(x + b)",
    "softmax over rows": "torch.softmax(x + b, -1)",
    "linear, bias and gelu": "F.gelu(x @ torch.ones(64, 32) + b[:32])",
    "mean over the batch": "(x * b).mean(0)",
    "norm": "F.layer_norm(x, (64,), b)",
    "over the root of the batch": "x * b / x.shape[0] ** 0.5 + torch.sym_sqrt(x.shape[0] / 2)",
    "bounds made of the batch": "(x * b).clamp(-1 / x.shape[0], x.shape[0] ** 0.5)"
    ".masked_fill_(x > x.shape[0] ** -0.5, x.shape[0] / 4)",
    "rows up to a multiple of eight": "F.pad(x + b, (1, 0, 0, -x.shape[0] % 8))",
}


@pytest.mark.parametrize("expression", PROGRAMS.values(), ids=PROGRAMS)
def test_a_size_with_a_name_is_a_symbol_in_every_text(expression):
    result = explored(f"""
        # inputs: f32[B=32,64], f32[64]
        import torch
        import torch.nn.functional as F
        def f(x, b):
            return {expression}
    """)
    (program,) = result.programs
    assert program.status == "ok" and program.inputs == ["f32[B=32,64]", "f32[64]"]
    assert "%x: f32[B,64]" in text(program, "captured")
    assert "graph f[B = 32 in 2..2147483647](%0: f32[B,64]" in text(program, "ir")
    assert "long B" in text(program, "c") and 'do_not_specialize=["B"]' in text(program, "triton")
    assert checked(program) == "all within tolerance, also at B = 2 and at B = 61"
    assert [n.text for n in result.notices] == [
        "f is compiled once for every B (32 in this call) from 2 on"
    ]


TORCH_TEMPLATES = {
    "convolutional network": (
        "f32[N=8,3,12,12], f32[4,3,3,3], f32[4]",
        "F.avg_pool2d(F.max_pool2d(F.relu(F.conv2d(x, y, z, padding=1)), 2), 3, 2)",
    ),
    "sort and the greatest": ("f32[N=8,40]", "(*torch.sort(x, -1), *torch.topk(x, 3))"),
    "attention": ("f32[N=8,2,9,16]", "F.scaled_dot_product_attention(x, x, x, is_causal=True)"),
    "embedding and norm": (
        "i64[N=8,12], f32[50,16]", "F.layer_norm(F.embedding(x.remainder(50), y), (16,))"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TORCH_TEMPLATES)
def test_a_template_over_a_batch_with_a_name_is_compiled_once(name):
    inputs, expression = TORCH_TEMPLATES[name]
    result = explored(f"""
        # inputs: {inputs}
        import torch
        import torch.nn.functional as F
        def f(x, y=None, z=None):
            return {expression}
    """)
    assert_compiled_once(result)


def assert_compiled_once(result: report.Report) -> None:
    """For every N, which is 8 in the call."""
    (program,) = result.programs
    assert program.status == "ok" and "long N" in text(program, "c")
    assert checked(program) == "all within tolerance, also at N = 2 and at N = 37"
    once = "f is compiled once for every N (8 in this call) from 2 on"
    assert once in [n.text for n in result.notices]


JAX_TEMPLATES = {
    "convolutional network": (
        "f32[N=8,12,12,3], f32[3,3,3,4]",
        """lax.reduce_window(jax.nn.relu(lax.conv_general_dilated(x, y, (1, 1), 'SAME',
                dimension_numbers=('NHWC', 'HWIO', 'NHWC'))), -jnp.inf, lax.max, (1, 2, 2, 1),
                (1, 2, 2, 1), 'VALID').mean((1, 2))""",
    ),
    "gradient of a convolution's weight": (
        "f32[N=8,3,9,9], f32[4,3,3,3]",
        "jax.grad(lambda w: jnp.tanh(lax.conv(x, w, (2, 2), 'SAME')).mean())(y)",
    ),
    "sort and the greatest": ("f32[N=8,40]", "(jnp.sort(x, -1), *lax.top_k(x, 3))"),
    "attention": ("f32[N=8,9,2,16]", "jax.nn.dot_product_attention(x, x, x, is_causal=True)"),
    "embedding and norm": (
        "i32[N=8,12], f32[50,16]", "jax.nn.standardize(jnp.take(y, x % 50, axis=0))"
    ),
    "neighbours in a ring": (
        "f32[N=8,16]", "jnp.roll(x, 1, 0) + jnp.roll(x, -1, 0) - 2 * x"
    ),
}  # fmt: skip


# What JAX says of a size in its own way: torch's tests have the other templates.
JAX_MET = ("convolutional network", "sort and the greatest", "neighbours in a ring")


@pytest.mark.parametrize("name", thinned(JAX_TEMPLATES, kept=JAX_MET))
def test_a_template_of_jax_over_a_batch_with_a_name_is_compiled_once(name):
    inputs, expression = JAX_TEMPLATES[name]
    result = explored(f"""
        # inputs: {inputs}
        import jax, jax.numpy as jnp
        from jax import lax
        def f(x, y=None):
            return {expression}
    """)
    assert_compiled_once(result)


def test_what_a_program_asserts_of_a_size_bounds_it_and_it_is_compiled_once():
    result = explored("""
        import torch

        @torch.compile(dynamic=True)
        def f(x):
            torch._check(x.shape[0] <= 50)
            torch._check(x.shape[0] >= 8, lambda: "too few")
            return torch.softmax(x * 2, -1).sum(0)

        f(torch.randn(32, 64))
        f(torch.randn(40, 64))
    """)
    (program,) = result.programs
    assert program.status == "ok", program.error
    name = next(n for n in ("S0", "S1") if f"{n} = 32 in 8..50" in text(program, "ir"))
    assert f"also at {name} = 8" in checked(program) and f"{name} = 50" in checked(program)
    (notice,) = [n.text for n in result.notices]
    assert f"every {name} (32 in this call) from 8 to 50" in notice


def test_what_a_program_asks_of_a_size_bounds_nothing():
    result = explored("""
        # inputs: f32[B=32,64]
        import torch
        def f(x):
            if x.shape[0] <= 100:
                x = x + 1
            torch._check(x.shape[0] <= 200)
            return x * 2
    """)
    (notice,) = [n.text for n in result.notices]
    assert "the program asks whether B <= 100" in notice


def test_sizes_of_which_the_program_itself_raises_are_no_fault_of_the_compiler():
    result = explored("""
        # inputs: f32[B=32,64]
        import torch
        def f(x):
            return x * x[torch.tensor([3, 20])].sum(0)
    """)
    (program,) = result.programs
    assert program.status == "ok", program.error
    said = "also at B = 61; at B = 2 the program itself raises IndexError"
    assert checked(program) == f"all within tolerance, {said}"


# Programs that ask how large a size is, with the line that does: how far one compilation serves.
ASKED = {
    "a branch": (
        "f32[B=32,64]", "x * 2 if x.shape[0] > 10 else x", "B (32 in this call) from 11 on"
    ),
    "an adaptive pool": (
        "f32[B=2,3,H=16,16]",
        "F.layer_norm(F.adaptive_avg_pool2d(x, (4, 4)), (4,)) + x.mean()",
        "B (2 in this call) from 2 on, H (16 in this call) from 8 on that is a multiple of 4",
    ),
    "the less of it and a number": (
        "f32[B=32,64]", "x * min(x.shape[0], 100)", "B (32 in this call) from 2 to 100"
    ),
    "doubling up to it": ("f32[B=12,64]", "doubled(x)", "B (12 in this call) from 9 to 16"),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_a_size_that_is_asked_about_is_a_symbol_as_far_as_the_answer_is_the_same(name):
    inputs, expression, served = ASKED[name]
    result = explored(f"""
        # inputs: {inputs}
        import torch
        import torch.nn.functional as F

        def doubled(x):
            step = 1
            while step < x.shape[0]:
                x = x + x.roll(step, 0)
                step *= 2
            return x

        def f(x):
            return {expression}
    """)
    (program,) = [p for p in result.programs if p.name == "f"]
    assert program.status == "ok", program.error
    (notice,) = [n for n in result.notices if n.text.startswith("f ")]
    assert notice.text.startswith(f"f is compiled once for every {served}; "), notice.text
    assert notice.line == (8 if "doubled" in expression else 14), notice
    (finding,) = program.findings
    assert (finding.kind, finding.line) == ("specialised", notice.line)
    assert finding.what == "f is compiled for a part of the sizes that may come"
    assert "all within tolerance, also at " in checked(program)


def test_of_two_sizes_that_are_compared_the_last_is_fixed():
    result = explored("""
        # inputs: f32[N=32,D=6]
        def f(x):
            n = max(x.shape[0], x.shape[1])
            return x / n
    """)
    (program,) = result.programs
    assert program.inputs == ["f32[32,D=6]"], program.inputs
    (notice,) = result.notices
    assert (notice.line, notice.text) == (
        4,
        "f is compiled once for every D (6 in this call) from 2 to 32; N is always 32: "
        "the program asks whether D <= N (line 4); the program asks whether D <= 32 (line 4)",
    )


def test_the_root_by_which_attention_divides_varies_with_its_size():
    result = explored("""
        # inputs: f32[B=4,T=16,D=32]
        import math
        from math import sqrt

        def f(x):
            scores = x @ x.transpose(-2, -1) / math.sqrt(x.size(-1))
            return scores.softmax(-1) @ x * sqrt(x.size(0)) / math.sqrt(4)
    """)
    (program,) = result.programs
    assert program.inputs == ["f32[B=4,T=16,D=32]"] and not program.findings
    assert "sqrt(D)" in text(program, "captured") and "sqrt(B)" in text(program, "captured")
    assert checked(program).startswith("all within tolerance, also at B = 2, T = 2, D = 2")


def test_a_number_that_is_made_of_a_size_is_shown_as_it_is_written():
    result = explored("""
        # inputs: f32[B=4,D=32]
        def f(x):
            return x / x.shape[-1] ** 0.5
    """)
    (program,) = result.programs
    assert program.inputs == ["f32[B=4,D=32]"]
    assert "aten.div.Tensor(%x, D ** 0.5)" in text(program, "captured")


@pytest.mark.parametrize(
    "expression",
    ["(x @ x.transpose(-1, -2)).add(x[..., :1], alpha=x.shape[-1] ** -0.5)",
     "x.reshape(*x.shape[:2], math.floor(math.sqrt(x.shape[2])), -1).sum(2)",
     "x[:, :, : int(0.25 * x.shape[2])] * 2"],
)  # fmt: skip
def test_a_size_that_becomes_another_number_is_fixed_and_the_others_are_symbols(expression):
    result = explored(f"""
        # inputs: f32[B=4,T=16,D=36]
        import math
        import torch

        def f(x):
            return {expression}
    """)
    (program,) = result.programs
    assert program.inputs == ["f32[B=4,T=16,36]"]
    (notice,) = result.notices
    assert "; D is always 36: the program computes a number from it that is no size" in notice.text
    assert "%x: f32[B,T,36]" in text(program, "captured")


def test_a_size_that_a_layer_needs_is_a_number_and_the_batch_a_symbol():
    result = explored("""
        import torch
        layer = torch.nn.Linear(128, 64)

        @torch.compile(dynamic=True)
        def f(x):
            return torch.relu(layer(x)).sum(0)

        for n in (32, 57, 200):
            f(torch.randn(n, 128))
    """)
    (program,) = result.programs
    assert program.status == "ok"
    (notice,) = result.notices
    assert notice.text == (
        "f is compiled once for every S0 (32 in this call) from 2 on; "
        "S1 is always 128: the program asks whether it is (line 7)"
    )
    assert program.inputs == ["f32[S0=32,128]"] and "%x: f32[S0,128]" in text(program, "captured")
    assert checked(program) == "all within tolerance, also at S0 = 2 and at S0 = 61"


def test_a_program_that_needs_a_number_says_which():
    result = explored("""
        # inputs: f32[B=32,64], f32[2,64,3]
        import torch.nn.functional as F
        def f(x, w):
            return F.conv1d(x.t()[None], w)
    """)
    (program,) = result.programs
    assert program.status == "ok"
    (notice,) = result.notices
    wanted = "a convolution are made for numbers, and a size is B (line 5)"
    assert "f is compiled for the sizes of this call alone: " in notice.text
    assert notice.text.endswith(wanted)


def test_a_jax_program_is_compiled_once_as_well():
    result = explored("""
        # inputs: f32[B=32,64], f32[64]
        import jax
        def f(x, b):
            y = jax.nn.gelu(x + b)
            return y.mean(0), jax.nn.softmax(y, -1)
    """)
    (program,) = result.programs
    assert program.status == "ok"
    assert "dim_as_value[dim=B]" in text(program, "captured")
    assert "(%0: f32[B,64], %1: f32[64])" in text(program, "ir")
    assert "long B" in text(program, "c") and 'do_not_specialize=["B"]' in text(program, "triton")
    assert checked(program) == "all within tolerance, also at B = 2 and at B = 61"


def test_a_jax_program_that_asks_for_the_size_says_so():
    result = explored("""
        # inputs: f32[B=32,64]
        import jax.numpy as jnp
        def f(x):
            return jnp.tanh(x) if x.shape[0] > 10 else x
    """)
    (program,) = result.programs
    assert program.status == "ok" and "f32[32,64]" in text(program, "ir")
    (notice,) = result.notices
    assert "of this call alone: " in notice.text and "'B' > '10'" in notice.text


def test_the_worse_of_two_checks_is_the_wrong_one_and_then_the_larger_error():
    good, bad = report.Numerics(2.0, 0.0, True), report.Numerics(1.0, 0.0, False)
    assert numerics.worse(good, bad) is bad and numerics.worse(bad, good) is bad
    assert numerics.worse(report.Numerics(1.0, 0.0, True), good) is good


def test_indices_stay_in_range_at_other_sizes():
    result = explored("""
        import torch
        table = torch.randn(3, 16)
        @torch.compile(dynamic=True)
        def f(i):
            return table[i]
        f(torch.tensor([0, 1, 2, 1]))
    """)
    (program,) = result.programs
    assert program.status == "ok" and program.inputs == ["i64[S0=4]"]
    assert checked(program) == "all within tolerance, also at S0 = 2 and at S0 = 33"


def test_complex_numbers_have_sizes_that_vary():
    result = explored("""
        import torch
        @torch.compile(dynamic=True)
        def f(x):
            return x * x.conj()
        f(torch.randn(8, 4, dtype=torch.complex64))
    """)
    (program,) = result.programs
    assert program.status == "ok"


def test_a_program_of_several_graphs_says_that_its_sizes_are_those_of_the_call():
    result = explored("""
        import torch
        @torch.compile(dynamic=True)
        def f(x):
            return x * 2 if x.sum() > 0 else x
        f(torch.ones(32, 64))
    """)
    (program,) = result.programs
    assert program.status == "ok"
    assert "f is compiled for the sizes of this call alone: the program is several graphs" in [
        n.text for n in result.notices
    ]
    (fixed,) = [f for f in program.findings if f.kind == "specialised" and f.compiler == "core"]
    assert "graph breaks" in fixed.remedy
