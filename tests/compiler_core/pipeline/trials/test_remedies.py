"""Remedies tried for real: the snippet is changed, run, compiled, held against what it was, and
measured beside it."""

import textwrap

import pytest

from compiler_core import report
from compiler_core.pipeline.order import explore
from compiler_core.pipeline.trials import remedies as trials
from compiler_core.remedy.change import Changed
from tests.compiler_core.pipeline.trying import (
    CHANGING,
    ITEM,
    STAGES,
    entry_of,
    trial_of,
    tried,
)
from tests.sweep_plugin import thinned

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("few_samples")]


# How a text is rewritten has tests of its own; here each kind of change is tried once.
BREAKS = [
    ("s = x.abs().max().item()\n    return x / s", "s = x.abs().max()\n"),
    ('print("mean", x.mean())\n    return x * 2', "if not torch.compiler.is_compiling():"),
    (
        "if x.sum() > 0:\n        x = x * 2\n    else:\n        x = x - 1\n    return x + 1",
        "x = torch.where(x.sum() > 0, x * 2, x - 1)",
    ),
    (
        "y = torch.ones_like(x)\n    while (y * y - 2).abs().max() > 1e-3:\n"
        "        y = 0.5 * (y + 2 / y)\n    return y + x",
        "(y,) = torch.while_loop(goes_on, turn, (y,))",
    ),
]


@pytest.mark.parametrize(
    ("body", "written"), thinned(BREAKS, kept=BREAKS[1:]), ids=["item", "print", "if", "while"]
)
def test_a_graph_break_is_gone(body, written):
    source = f"import torch\n\n@torch.compile\ndef f(x):\n    {body}\n\nf(torch.randn(8, 16))\n"
    trial = trial_of(source, "graph break")
    assert written in trial.source
    assert (trial.before.breaks, trial.after.breaks) == (1, 0)
    assert trial.after.graphs == 1
    assert "1 graph break becomes 0" in trial.summary


LOOPS = [
    "out = []\n    for row in x:\n        out.append(torch.softmax(row * w, 0))\n"
    "    return torch.stack(out)",
    "return torch.stack([torch.softmax(x[i] * w, 0) for i in range(len(x))])",
    "out = torch.empty_like(x)\n    for i in range(6):\n"
    "        out[i] = torch.softmax(x[i] * w, 0)\n    return out",
]


@pytest.mark.parametrize(
    "rows",
    thinned(LOOPS, kept=LOOPS[2:]),
    ids=["loop over rows", "list that is stacked", "tensor that is filled"],
)
def test_a_loop_over_rows_is_one_kernel(rows):
    _check_one_kernel(rows, "torch.randn(6, 16)")


def test_a_list_of_tensors_is_one_kernel():
    rows = "return torch.stack([torch.softmax(row * w, 0) for row in x])"
    _check_one_kernel(rows, "[torch.randn(16) for _ in range(6)]")


def _check_one_kernel(rows, x):
    head = "import torch\n\n@torch.compile\ndef f(x, w):\n    "
    trial = trial_of(f"{head}{rows}\n\nf({x}, torch.randn(16))\n", "unrolled")
    assert "torch.vmap(lambda" in trial.source
    assert trial.after.kernels < trial.before.kernels


def test_a_batch_size_that_changes_is_compiled_once():
    trial = trial_of(CHANGING, "recompile")
    assert "@torch.compile(dynamic=True)" in trial.source
    assert (trial.before.compilations, trial.after.compilations) == (2, 1)
    first, call = trial.times
    assert first.first_calls and not call.first_calls
    assert "2 compilations become 1" in trial.summary


def test_a_text_that_jax_is_given_is_static():
    source = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def f(x, how, axis):
            return x.mean(axis) if how == "mean" else x.max(axis)

        f(jnp.ones((8, 16)), "mean", 0)
    """
    entry = entry_of(source, "failed")
    assert entry.what == "argument 2 is of type str, which JAX cannot trace"
    # Then the axis is asked for.
    assert 'static_argnames=("how", "axis")' in entry.trial.source


def test_what_the_core_refuses_of_a_remedy_is_told_in_its_own_words():
    source = """
        import torch
        import torch.nn.functional as F

        @torch.compile
        def f(a, b):
            longest = max(a.shape[0], b.shape[0])
            rows = [F.pad(t, (0, 0, 0, longest - t.shape[0])) for t in (a, b)]
            return torch.stack(rows).cumsum(1)

        f(torch.randn(3, 8), torch.randn(5, 8))
        f(torch.randn(4, 8), torch.randn(9, 8))
    """
    _, (entry, *_) = tried(source)
    assert entry.kind == "recompile" and not entry.trial.source
    assert ", which fails: constant_pad_nd: " in entry.trial.summary


def test_an_if_on_a_tracer_is_compiled_at_all():
    source = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def f(x):
            if x.sum() > 0:
                return x * 2
            return x - 1

        f(jnp.linspace(-1.0, 2.0, 64))
    """
    entry = entry_of(source, "failed")
    trial = entry.trial
    assert entry.us is None
    assert "return jnp.where(x.sum() > 0, x * 2, x - 1)" in trial.source
    assert trial.before.graphs is None and trial.after.graphs == 1
    assert "the program is compiled, which it was not" in trial.summary


def test_a_while_on_a_tracer_is_compiled_at_all():
    source = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def f(x):
            turns = 0
            while jnp.abs(x).max() > 1:
                x /= 2
                turns += 1
            return x, turns

        f(jnp.linspace(-1.0, 9.0, 64))
    """
    trial = entry_of(source, "failed").trial
    assert "(x, turns) = jax.lax.while_loop(" in trial.source
    assert trial.before.graphs is None and trial.after.graphs == 1


def test_a_number_that_a_shape_is_made_of_is_static():
    source = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def f(x, heads):
            y = x.reshape(heads, -1)
            return jax.nn.softmax(y, -1)

        f(jnp.linspace(-1.0, 2.0, 64), 4)
    """
    trial = entry_of(source, "failed").trial
    assert '@functools.partial(jax.jit, static_argnames="heads")' in trial.source
    assert trial.before.graphs is None and trial.after.graphs == 1


def test_a_static_number_that_changes_is_traced_once():
    source = """
        from functools import partial

        import jax
        import jax.numpy as jnp

        @partial(jax.jit, static_argnames="scale")
        def f(x, scale):
            return jnp.tanh(x * scale)

        for step in range(3):
            f(jnp.ones((8, 8)), 0.5 + step)
    """
    trial = trial_of(source, "traced again")
    assert "@jax.jit\ndef f" in trial.source
    assert (trial.before.compilations, trial.after.compilations) == (3, 1)
    assert all(time.first_calls for time in trial.times[:1])


OTHERWISE_GIVEN = """
import jax
import jax.numpy as jnp

@jax.jit
def f(x, s):
    return jnp.tanh(x * s)

f(jnp.ones((8, 8)), 1.0)
f(jnp.ones((8, 8)), jnp.float32(2))
"""


def test_a_number_that_was_given_in_another_way_is_given_as_before():
    trial = trial_of(OTHERWISE_GIVEN, "traced again")
    assert "f(jnp.ones((8, 8)), 2.0)" in trial.source
    assert (trial.before.compilations, trial.after.compilations) == (2, 1)


def test_a_call_that_is_then_like_one_before_is_compared_all_the_same():
    """The second call is like the first with the remedy, and the third is another one still."""
    _, found = tried(f"{OTHERWISE_GIVEN}f(jnp.ones((6, 8)), 3.0)\n")
    trial = next(f.trial for f in found if f.trial and "weakly typed" in f.why)
    assert "f(jnp.ones((8, 8)), 2.0)" in trial.source, trial.summary
    assert (trial.before.compilations, trial.after.compilations) == (3, 2)


def test_entries_of_one_remedy_share_its_trial():
    source = ITEM.replace("scale = x", "low, scale = x.min().item(), x")
    _, found = tried(source.replace("/ scale", "/ scale - low"))
    assert len({f.trial.source for f in found}) == 1


def test_a_remedy_that_gives_other_numbers_is_not_offered():
    # int() cuts what is behind the point.
    source = ITEM.replace("scale = x.abs().max().item()", "scale = int(x.abs().max())")
    program, found = tried(source)
    assert [f.trial.source for f in found] == [""]
    assert "the results are others" in found[0].trial.summary
    assert program.status == "ok"


def test_a_change_that_does_not_run_is_told_and_fails_nothing():
    source = ITEM.replace("return x / scale", "return x * range(1, 3)[round(scale) % 2]")
    program, found = tried(source)
    assert [f.trial.source for f in found] == [""]
    assert "TypeError" in found[0].trial.summary
    assert program.status == "ok" and program.error is None


def test_where_the_text_allows_no_change_the_reason_is_told():
    program, found = tried(ITEM.replace("return x / scale + 1.0", "return x.sum().item()"))
    assert any(f.trial.summary.startswith("not tried: ") for f in found)
    assert "1 cannot be" in program.stages[-1].summary


def test_it_costs_nothing_where_nobody_asks():
    result = report.Report()
    options = report.Options()
    explore(textwrap.dedent(ITEM), options, lambda e: report.apply(result, e), stages=STAGES)
    (program,) = result.programs
    assert not program.findings and "trials" not in {s.name for s in program.stages}


def test_parameters_are_those_that_the_snippet_drew():
    source = """
        import torch

        net = torch.nn.Linear(16, 4)

        @torch.compile
        def f(x):
            y = net(x)
            print(y.mean())
            return y * 2

        f(torch.randn(8, 16))
    """
    assert trial_of(source, "graph break").after.breaks == 0


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("y = np.tanh(x.numpy())\n    return torch.from_numpy(y) * 2", "y = torch.tanh(x)\n"),
        ("m = x.mean().cpu()\n    return x - m", "m = x.mean()\n"),
    ],
    ids=["numpy", "cpu"],
)
def test_a_tensor_does_not_go_to_the_host(body, written):
    head = "import numpy as np\nimport torch\n\n@torch.compile\ndef f(x):\n    "
    assert written in trial_of(f"{head}{body}\n\nf(torch.randn(8, 16))\n", "host sync").source


def test_a_callback_of_jax_is_computed_by_jax():
    source = """
        import jax
        import jax.numpy as jnp
        import numpy as np

        @jax.jit
        def f(x):
            return jax.pure_callback(np.tanh, jax.ShapeDtypeStruct(x.shape, x.dtype), x) * 2

        f(jnp.ones((8, 8)))
    """
    trial = trial_of(source, "host sync")
    assert "return jnp.tanh(x) * 2" in trial.source
    assert trial.after.kernels < trial.before.kernels


def test_what_was_offered_is_tried_together():
    source = ITEM.replace("return", "print(scale)\n        return")
    program, found = tried(source)
    assert len({f.trial.source for f in found}) == 2
    both = program.together
    assert "print" in both.source and ".item()" not in both.source
    assert both.after.breaks == 0 < min(f.trial.after.breaks for f in found)
    assert both.summary.startswith("2 changes together: ")


@pytest.mark.parametrize(("p", "offered"), [("0.5 + 0.0", True), ("0.9", False)])
def test_random_numbers_are_those_of_one_seed(p, offered, monkeypatch):
    def other_p(asked):
        return Changed(asked.text.text.replace("p=0.5", f"p={p}"), "p is another")

    monkeypatch.setattr(trials, "remedied", other_p)
    source = ITEM.replace("x / scale", "torch.dropout(x, p=0.5, train=True) / scale")
    _, (broken, *_) = tried(source)
    assert bool(broken.trial.source) == offered, broken.trial.summary
