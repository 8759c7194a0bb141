"""What the run itself finds for the why-list, in real programs."""

import textwrap

import pytest

from compiler_core import report
from compiler_core.pipeline.order import PIPELINE, explore

pytestmark = pytest.mark.cpu

STAGES = [
    s
    for s in PIPELINE
    if s.name in ("capture", "passes", "target passes", "fuse", "schedule", "insides", "why")
]


def found(source, kind, insides=("stablehlo",)):
    """The findings of a kind, without those of the compilers that were looked into."""
    result = report.Report()
    options = report.Options(insides=insides)
    text = textwrap.dedent(source)
    explore(text, options, lambda event: report.apply(result, event), stages=STAGES)
    (program,) = result.programs
    return [f for f in program.findings if f.kind == kind]


def torchs(body, given="torch.randn(8, 16)"):
    head = "import torch\n\n@torch.compile\ndef f(x):\n    "
    return f"{head}{body}\n\nf({given})\n"


@pytest.mark.parametrize(
    ("body", "column"),
    [
        ("return x - x.mean().cpu()", 15),
        ('return x - x.mean().to("cpu")', 15),
        ("return torch.as_tensor(x.numpy()) * 2", 27),
    ],
)
def test_a_tensor_that_goes_to_the_host_is_seen(body, column):
    (one,) = found(torchs(body), "host sync")
    assert (one.compiler, one.line, one.column) == ("core", 5, column)


def test_a_tensor_that_stays_is_not():
    assert not found(torchs("return x.to(torch.float64).to(x.device)"), "host sync")


def test_what_a_graph_break_tells_is_not_told_twice():
    source = torchs("s = x.max().item()\n    return x / s")
    assert not found(source, "host sync", insides=("dynamo",))
    assert not found(source, "host sync")
    (broken,) = found(source, "graph break")
    assert (broken.compiler, broken.line) == ("dynamo", 5)
    assert broken.remedy.startswith("keep it a tensor")


def test_what_the_tracer_cannot_take_is_not_told_twice():
    op = (
        '@torch.library.custom_op("mine::twice", mutates_args=())\n'
        "def twice(x: torch.Tensor) -> torch.Tensor:\n    return x * 2\n"
    )
    source = torchs("return twice(x)").replace("@torch.compile", f"{op}\n@torch.compile")
    for insides in (("dynamo",), ("stablehlo",)):
        (failed,) = found(source, "failed", insides=insides)
        assert (failed.compiler, failed.line) == ("dynamo", 9)
        assert "register_fake" in failed.remedy


def one_graph(body):
    return torchs(body).replace("@torch.compile", "@torch.compile(fullgraph=True)")


def test_of_what_is_wanted_in_one_graph_the_list_says_that_torch_compile_raises_and_what() -> None:
    source = one_graph("y = x * 2 if x.sum() > 0 else x\n    print(1)\n    return torch.relu(y)")
    for insides in ((), ("dynamo",)):
        (failed,) = found(source, "failed", insides=insides)
        assert (failed.compiler, failed.line) == ("dynamo", 5)
        assert failed.why.endswith(
            "torch.compile raises here and compiles nothing: “Data-dependent branching: Detected "
            "data-dependent branching (e.g. `if my_tensor.sum() > 0:`).”"
        )
        assert failed.raw.startswith("Data-dependent branching\n")
        # The core goes on, which is not what the snippet's call does.
        (broken,) = found(source, "graph break", insides=insides)
        assert (broken.compiler, broken.line) == ("core", 6)
        assert broken.what.startswith("without fullgraph=True")


def test_what_torch_compile_has_in_one_graph_does_not_raise() -> None:
    source = one_graph("s = x.max().item()\n    return x / s").replace(
        "import torch\n", "import torch\ntorch._dynamo.config.capture_scalar_outputs = True\n"
    )
    assert not found(source, "failed", insides=())


def test_a_break_of_the_core_alone_is_not_dynamos():
    source = torchs("s = x.max().item()\n    return x / s").replace(
        "import torch\n", "import torch\ntorch._dynamo.config.capture_scalar_outputs = True\n"
    )
    (broken,) = found(source, "graph break", insides=("dynamo",))
    assert (broken.compiler, broken.line) == ("core", 6)


@pytest.mark.parametrize(
    ("call", "what", "who_waits"),
    [
        ("x = jax.pure_callback(np.sin, x, x)", "jax.pure_callback calls", "the device waits"),
        ("x = jax.pure_callback(g, x, x)", "jax.pure_callback calls", "the device waits"),
        ('jax.debug.print("{}", x)', "jax.debug.print prints", "the host waits"),
        (
            "from jax.experimental import io_callback as run; run(lambda a: None, None, x)",
            "jax.experimental.io_callback calls",
            "the device waits",
        ),
    ],
)
def test_callbacks_of_jax_are_seen_and_who_waits_for_them(call, what, who_waits):
    source = f"""
        import jax
        import jax.numpy as jnp
        import numpy as np
        g = np.sort_complex
        @jax.jit
        def f(x):
            {call}
            return x * 2

        f(jnp.ones(8))
    """
    (one,) = found(source, "host sync")
    assert one.what.startswith(what) and one.line == 8
    assert one.why.startswith(who_waits)
    assert ("call jax.numpy.sin in its place" in one.remedy) == ("np.sin" in call)


def test_an_autocast_tells_what_it_rounds():
    body = 'with torch.autocast("cpu", dtype=torch.bfloat16):\n        return x @ x'
    (one,) = found(torchs(body, "torch.randn(16, 16)"), "precision")
    assert one.what.endswith("f32 becomes bf16") or one.what.endswith("f32 become bf16")
    assert one.line == 6 and one.bytes and "16 bits" in one.why


def test_what_becomes_float64_is_told_and_what_gets_more_bits_below_is_not():
    (one,) = found(torchs("return x.double() * 2"), "precision")
    assert one.what == "1 tensor of f32 becomes f64" and one.bytes == 8 * 8 * 16
    assert not found(torchs("return x.float() * 2", "torch.randn(8).half()"), "precision")


def test_what_one_operation_rounds_on_its_way_is_nobodys_conversion():
    body = "return x * torch.arange(16, dtype=torch.float32)"
    assert not found(torchs(body), "precision")


def test_an_argument_that_jax_rounds_is_told():
    source = """
        import jax
        import numpy as np

        f = jax.jit(lambda x: x * 2)
        f(np.ones(8))
    """
    (one,) = found(source, "precision")
    assert one.what == "x is given as float64 and is float32 in the program"


def test_a_launch_that_only_moves_elements_is_told_with_its_bytes():
    (one,) = found(torchs("return x.t().contiguous() * 1"), "layout copy")
    assert one.bytes == 2 * 4 * 8 * 16 and one.line == 5


@pytest.mark.parametrize(("turns", "told"), [(3, 0), (6, 1)])
def test_a_loop_that_is_written_out_is_told(turns, told):
    body = f"return torch.stack([x[i] * 2 for i in range({turns})])"
    assert len(found(torchs(body), "unrolled")) == told


def test_who_looks_into_nothing_is_told_nothing():
    assert not found(torchs("return x.double() * 2"), "precision", insides=())


SEVERAL_SIZES = """
    import torch

    @torch.compile
    def f(x, n):
        return x.sin() * n

    f(torch.randn(8, 16), 2)
    f(torch.randn(9, 16), 2)
"""
STATIC = """
    import functools
    import jax
    import jax.numpy as jnp

    @functools.partial(jax.jit, static_argnums=1)
    def f(x, n):
        return x * n

    f(jnp.ones(4), 2)
    f(jnp.ones(4), 3)
"""


@pytest.mark.parametrize(
    ("source", "kind", "line", "change"),
    [
        (SEVERAL_SIZES, "recompile", 9, "f32[8,16] -> f32[9,16] (input 1 of 2)"),
        (STATIC, "traced again", 11, "int 2 -> int 3 (input 2 of 2)"),
    ],
)
def test_a_call_that_is_compiled_for_anew_is_told_without_looking_into_anything(
    source, kind, line, change
):
    (one,) = found(source, kind, insides=())
    assert (one.compiler, one.line) == ("core", line)
    assert one.what == f"f is compiled again: {change}"


def test_what_dynamo_tells_of_a_recompile_is_not_told_twice():
    told = found(SEVERAL_SIZES, "recompile", insides=("dynamo",))
    assert {each.compiler for each in told} == {"dynamo"}


def test_what_python_runs_alone_is_neither_compiled_again_nor_for_some_sizes():
    source = """
        import torch

        @torch.compile
        def f(x):
            for row in (1, 2):
                if x.sum() > 0:
                    x = x + row
            return x

        f(torch.ones(8, 16))
        f(torch.ones(9, 16))
    """
    assert not found(source, "recompile") and not found(source, "specialised")


def test_a_loop_that_is_written_out_has_the_bytes_of_its_kernels():
    body = "y = x\n    for i in range(6):\n        y = torch.flip(y, (1,)) * 1.5\n    return y"
    (one,) = found(torchs(body), "unrolled")
    assert one.bytes is not None and one.bytes >= 2 * 8 * 4


def test_a_wait_for_the_device_has_its_time():
    (one,) = found(torchs("return x - x.mean().cpu()"), "host sync")
    assert one.us is not None and 0 < one.us < 1e6
