"""Programs that draw from Python's and NumPy's generators: other numbers at every call."""

import random
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from compiler_core import explore
from compiler_core.capture.torch.dynamo.lowered import lower
from compiler_core.report import Options
from tests.compiler_core.capture.oracle import captured

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]
GENERATOR = np.random.default_rng(3)
OWN = random.Random(4)


def scaled(x):
    return x * random.uniform(0.5, 1.5)


def mixed(x):
    lam = np.random.beta(0.4, 0.4)
    return lam * x + (1 - lam) * x.flip(0)


def dropped(x):
    return x.tanh() if random.random() < 0.5 else x * 3


def shuffled(x):
    order = list(range(x.shape[0]))
    random.shuffle(order)
    return x[order]


def of_a_generator(x):
    return x * GENERATOR.uniform(0.5, 1.5)


def of_its_own(x):
    return x * OWN.random()


def cropped(x):
    at = np.random.randint(0, 4)
    return x[at : at + 4] * 2


def windowed(x):
    top, left = random.randint(0, 4), random.randrange(5)
    return x[top : top + 4, left : left + 4] * 2


def erased(x):
    at = random.randint(0, 4)
    x = x.clone()
    x[at : at + 3] = 0
    return x + at


def augmented(x):
    if OWN.random() < 0.5:
        return x * OWN.uniform(1, 2)
    return x.roll(OWN.randint(1, 3), -1) + OWN.gauss(0, 1)


PROGRAMS = (
    scaled, mixed, dropped, shuffled, of_a_generator, cropped, of_its_own, windowed, erased,
    augmented,
)  # fmt: skip


def explored(fn):
    (program,) = explore(fn, torch.randn(8, 8), fuselab_options=Options(measure=False)).programs
    return program


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda f: f.__name__)
def test_each_compiler_is_compared_on_the_numbers_that_eager_draws(fn):
    program = explored(fn)
    assert program.error is None
    assert {name: n.ok for name, n in program.numerics.items()} == {"eager": True, "core": True}
    assert all(n.max_rel_error < 1e-5 for n in program.numerics.values())


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda f: f.__name__)
def test_what_is_compiled_draws_at_every_call(fn):
    """Not the numbers of the call that was traced, over and over."""
    x = torch.randn(8, 8)
    session = captured("torch", fn, x).session
    assert session is not None
    given = session.prepare([x])
    results = [session.compiled(given) for _ in range(12)]
    given = session.prepare([x])
    eager = [session.eager(given) for _ in range(12)]
    assert all(map(torch.allclose, results, eager))
    assert not all(torch.equal(results[0], r) for r in results)


@pytest.mark.parametrize("fn", (mixed, of_a_generator, of_its_own), ids=lambda f: f.__name__)
def test_a_number_that_is_drawn_is_no_compilation_at_every_call(fn):
    x = torch.randn(8, 8)
    session = captured("torch", fn, x).session
    assert session is not None
    given = session.prepare([x])
    counts = []
    for _ in range(6):
        session.compiled(given)
        counts.append(len(session.recorder.pieces))
    assert counts[-1] == counts[1] <= 2


def means(x):
    c = x[torch.randperm(x.shape[0])[:3]]
    for j in range(3):
        near = (x - c[j]).square().sum(1) < 12
        if near.any():
            c[j] = x[near].mean(0)
    return c


def test_what_python_draws_between_graphs_is_checked_with_one_seed():
    program = explored(means)
    assert {name: n.ok for name, n in program.numerics.items()} == {"eager": True, "core": True}


@pytest.mark.parametrize("fn", (windowed, erased), ids=lambda f: f.__name__)
def test_a_whole_number_that_is_drawn_is_traced_twice_and_no_more(fn):
    """Once as it was at first, once for any."""
    x = torch.randn(8, 8)
    session = captured("torch", fn, x).session
    assert session is not None
    given = session.prepare([x])
    assert session.recorder.pieces or session.compiled(given) is not None
    for _ in range(12):
        session.compiled(given)
    assert 1 <= len(session.recorder.pieces) <= 4


def test_a_number_that_is_drawn_is_converted_without_the_framework():
    """A float that has become an input is an f64 scalar, which torch converts in Python."""
    x = torch.randn(8, 8)
    session = captured("torch", mixed, x).session
    assert session is not None
    given = session.prepare([x])
    for _ in range(2):
        session.compiled(given)
    drawn = lower(session.recorder.pieces[-1], 0, 0).graph.graph
    assert "f64[]" in [str(x.type) for x in drawn.inputs]
    assert not [o for o in drawn.operations if o.op == "library_call"]


def test_a_training_step_with_a_drawn_number_is_the_one_of_eager():
    layer = torch.nn.Linear(8, 3)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    labels = torch.arange(8) % 3

    def step(x):
        lam = np.random.beta(1.0, 1.0)
        out = layer(lam * x + (1 - lam) * x.flip(0))
        loss = (
            lam * torch.nn.functional.cross_entropy(out, labels) + (1 - lam) * out.square().mean()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    x = torch.randn(8, 8)
    session = captured("torch", step, x).session
    assert session is not None
    given = session.prepare([x])
    compiled = [session.compiled(given).item() for _ in range(5)]
    given = session.prepare([x])
    np.testing.assert_allclose(compiled, [session.eager(given).item() for _ in range(5)], rtol=1e-5)
    assert len(set(compiled)) == 5


def test_a_program_that_draws_nothing_stays_one_graph():
    assert captured("torch", lambda x: x.tanh() + 1, torch.randn(8)).session is None


def test_the_generators_are_left_as_the_program_left_them():
    before = np.random.get_state()[1].copy(), random.getstate()
    explored(of_its_own)
    assert (np.random.get_state()[1] == before[0]).all()
    assert random.getstate() == before[1]


# -- JAX draws once, while it traces


def noisy(x):
    # Away from zero, near which no relative error is small.
    return jnp.tanh(x) + 2 + np.random.rand()


def branched(x):
    return jnp.tanh(x) if random.random() < 0.5 else x * 3


def scaled_by_its_own(x):
    return x * GENERATOR.uniform(0.5, 2.0)


@pytest.mark.parametrize("fn", [noisy, branched, scaled_by_its_own], ids=lambda f: f.__name__)
def test_eager_jax_is_compared_on_the_numbers_that_were_traced(fn):
    options = Options(measure=False, compilers=("core", "xla"))
    (program,) = explore(jax.jit(fn), jnp.linspace(-2, 2, 64), fuselab_options=options).programs
    assert all(n.ok and n.max_rel_error < 1e-5 for n in program.numerics.values())
    assert {*program.numerics} == {"eager", "core", "xla"}


# -- what no seed gives again


def of_the_clock(x):
    return x * (time.perf_counter_ns() % 1000 / 100 + 1)


def test_a_program_whose_calls_differ_is_said_to_be_uncheckable_and_excuses_nobody():
    verdict = explored(of_the_clock).numerics["core"]
    assert not verdict.ok and verdict.error.startswith("eager itself gives another result at each")


TORCHS = torch.Generator().manual_seed(5)


def noisy(x):
    return x + torch.randn(x.shape, generator=TORCHS)


def noisy_in_parts(x):
    y = noisy(x)
    return y.normal_(generator=TORCHS) if y.sum() > 1e6 else y.sin() + torch.rand(8)


@pytest.mark.parametrize("fn", (noisy, noisy_in_parts), ids=lambda f: f.__name__)
def test_what_is_drawn_from_a_generator_of_the_programs_own_is_checked_from_one_state(fn):
    program = explored(fn)
    assert {name: n.ok for name, n in program.numerics.items()} == {"eager": True, "core": True}
