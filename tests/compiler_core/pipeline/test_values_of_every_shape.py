"""Values of every shape: what the framework gives, whatever the passes are.

Each program is one that was once wrong, or a fault or crash of ours.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
import torch.nn.functional as F

from compiler_core import explore
from compiler_core.capture.torch.dynamo.copied import copies
from compiler_core.passes.random_bits import ExpandRandomBits
from compiler_core.pipeline import stages
from compiler_core.report import Options
from conformance.judge import judge
from conformance.sample import Sample

pytestmark = pytest.mark.cpu

RIGHT = ("native", "library")
UNMEASURED = Options(measure=False)


def verdict_of(fn, *args, framework="torch"):
    return judge(Sample(getattr(fn, "__name__", "f"), framework, fn, args))


def assert_right(fn, *args, framework="torch", kinds=RIGHT):
    verdict = verdict_of(fn, *args, framework=framework)
    assert verdict.kind in kinds, verdict


@pytest.fixture(params=["all passes", "no passes"])
def passes(request, monkeypatch):
    """No value may depend on a pass, but for the one that says how random bits are made."""
    if request.param == "no passes":
        monkeypatch.setattr(stages, "PASSES", (ExpandRandomBits(),))


# -- without elements


def stored_beside_a_sum(x):
    return x.long().reshape(-1)[:3] % 8, (x + 1).sum()


def summed_every_way(x):
    return x.sum(), x.sum(1), x.prod(0), (x + 1).exp().sum(1), x @ x.T, x.T @ x, x * 2


def moments(x):
    return torch.linalg.vector_norm(x), x.std(1), x.mean(1), x.logsumexp(1)


def beside_what_has_elements(x):
    x = x.new_ones(5, 3) + x.sum()
    none = x[:0] * 2
    return (none.sum(0) + x.sum(0), none.exp().sum(), x.exp().sum(1), torch.cat([none, x]),
            F.pad(none, (0, 0, 1, 1)), x.scatter_add(0, none.long(), none))  # fmt: skip


def of_booleans(x):
    x = x > 0
    return x.any(), x.all(), x.any(0), x.all(1)


def jax_stored_beside_a_sum(x):
    return x.astype(jnp.int32).reshape(-1)[:3] % 8, (x + 1).sum()


def jax_beside_what_has_elements(x):
    full = jnp.ones((5, 3)) + x.sum()
    return x.max(1, initial=-1.0), jnp.var(x, 1), jax.nn.softmax(x, 1), full.at[:0].add(1).sum()


def jax_steps_without_elements(x):
    return jax.lax.scan(lambda total, row: (total + row.sum(), row * 2), 0.0, x)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize(
    "fn", [stored_beside_a_sum, summed_every_way, moments, beside_what_has_elements, of_booleans]
)
def test_without_elements(fn):
    assert_right(fn, torch.zeros(8, 0), kinds=("native",))


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize(
    "fn", [jax_stored_beside_a_sum, jax_beside_what_has_elements, jax_steps_without_elements]
)
def test_without_elements_in_jax(fn):
    assert_right(fn, np.zeros((8, 0), np.float32), framework="jax", kinds=("native",))


# -- without dimensions


def moved_nowhere(x):
    return x.flip(0), x.roll(0, 0) if x.dim() else x.roll(1), x.sum(0), x.cumsum(0), x.softmax(-1)


def test_without_dimensions():
    assert_right(moved_nowhere, torch.tensor(2.0))


@pytest.mark.usefixtures("undisassembled")
def test_fresh_values_have_no_dimensions_either():
    (program,) = explore(torch.tanh, torch.tensor(2.0), fuselab_options=UNMEASURED).programs
    assert program.error is None and program.numerics["core"].ok


# -- memory that is not row-major, and views of it


WHOLE = torch.arange(20.0).reshape(4, 5)
LAID_OUT = {
    "in rows": WHOLE,
    "transposed": WHOLE.T,
    "from the middle": WHOLE[1:],
}


def windows(x):
    return torch.as_strided(x, (3, 2), (2, 1)) * 2, torch.as_strided(x, (4, 3), (1, 1)).sum(1)


def windows_of_views(x):
    view, other = x.t(), x.t() * 2
    return torch.as_strided(view, (2, 2), (1, 2)), torch.as_strided(other, (2, 3), (3, 1)), other


def written_windows(x):
    torch.as_strided(x, (2, 2), (2, 1)).add_(1)
    return x * 2


def written_through_a_view(x):
    part = x[1:].t()
    torch.as_strided(part, (3,), (1,)).mul_(3)
    return part, x.sum()


@pytest.mark.parametrize("fn", [windows, windows_of_views, written_windows, written_through_a_view])
@pytest.mark.parametrize("layout", LAID_OUT)
def test_as_strided_shows_memory_as_it_lies(fn, layout):
    (given,) = copies([LAID_OUT[layout]])
    assert_right(fn, given)


def test_as_strided_of_every_second_row_shows_these_alone():
    rows = WHOLE[::2]
    assert_right(lambda x: torch.as_strided(x, (2, 4), (10, 1)), rows, kinds=("native",))
    assert verdict_of(lambda x: torch.as_strided(x, (6,), (1,)), rows).kind == "refused"


def renamed(change):
    def result(x):
        change(x)
        return x * 2

    def own(x):
        y = x + 1
        change(y)
        return y.add_(1), y

    def both(x):
        change(x)
        x.add_(1)
        return x

    return result, own, both


IN_PLACE = {
    "t_": lambda x: x.t_(),
    "transpose_": lambda x: x.transpose_(0, 1),
    "squeeze_": lambda x: x.squeeze_(),
    "unsqueeze_": lambda x: x.unsqueeze_(0),
    "swapdims_": lambda x: x.swapdims_(0, 1),
    "as_strided_": lambda x: x.as_strided_((3, 2), (2, 1)),
}


@pytest.mark.parametrize("place", range(3), ids=["argument", "own", "returned argument"])
@pytest.mark.parametrize("name", IN_PLACE)
def test_a_tensor_becomes_a_view_of_itself(name, place):
    assert_right(renamed(IN_PLACE[name])[place], WHOLE.clone())


@pytest.mark.usefixtures("undisassembled")
def test_an_argument_that_became_a_view_is_as_it_was_at_the_next_run():
    given = WHOLE.clone()
    fn = renamed(IN_PLACE["t_"])[0]
    (program,) = explore(fn, given, fuselab_options=UNMEASURED).programs
    assert program.error is None and program.numerics["core"].ok
    assert given.shape == WHOLE.shape


def bits_cleared(x):
    x.view(torch.int32)[0] = 0
    return x * 2


def other_memory(x):
    y = x + 1
    y.data = x * 3
    return y + 1


@pytest.mark.parametrize("fn", [bits_cleared, other_memory])
def test_memory_is_written_to_as_other_bits_and_replaced(fn):
    assert_right(fn, WHOLE.clone())


COMPLEX = torch.complex(WHOLE, WHOLE + 1).conj()


@pytest.mark.usefixtures("undisassembled")
@pytest.mark.parametrize(
    "given",
    [WHOLE[0].expand(4, 5), WHOLE.view(-1).unfold(0, 3, 1), COMPLEX, COMPLEX.imag],
    ids=["repeated", "overlapping", "conjugate", "negative"],
)
def test_arguments_that_share_places_or_signs_are_given_other_values(given):
    (program,) = explore(lambda x: x * 2, given, fuselab_options=UNMEASURED).programs
    assert program.error is None and program.numerics["core"].ok


# -- numbers and types


def compared_with_numbers_beyond_the_type(x):
    return x < 300, x > -1, x == -1, x != 511, x >= 70_000, x <= -70_000


def computed_with_numbers_beyond_the_type(x):
    return (
        x + 300,
        x * 300 > 5,
        300 - x,
        x % 300,
        x // 300,
        (x + 300) // 2,
        torch.where(x > 2, -1, x),
    )


def shifted(x):
    return x >> 1, x >> 3, x << 1, x >> x.clamp(0, 7), (x >> 7) + 1


def kept_between(x):
    return x.clamp(-1, 1), x.clamp(min=-1), torch.maximum(x, torch.tensor(300))


@pytest.mark.parametrize(
    "fn",
    [
        compared_with_numbers_beyond_the_type,
        computed_with_numbers_beyond_the_type,
        kept_between,
        shifted,
    ],
)
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16], ids=str)
def test_a_number_is_one_of_the_tensor_s_type(fn, dtype):
    assert_right(fn, torch.tensor([-128, -5, -1, 0, 1, 5, 44, 127]).to(dtype), kinds=("native",))


def products(x):
    return x @ x.T, x @ x[0], jnp.einsum("bij,bkj->bik", x[None], x[None])


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16", "uint32", "int8", "int32"])
def test_products_of_every_type_in_jax(dtype):
    x = np.array([[0, 1, 2, 3], [250, 255, 7, 9], [100, 2, 128, 4]]).astype(dtype)
    assert_right(products, x, framework="jax")


# -- which launch comes first

TYPES = ("uint8", "int8", "uint16", "int32", "uint32", "float16", "bfloat16", "bool")


def converted_to_every_type(x):
    return tuple(x.astype(t) for t in TYPES)


def test_no_kernel_waits_for_itself():
    """A group whose members are far apart led back into a pair that stood before most of it."""
    x = np.array([[0, 1, 2, 3], [250, 255, 7, 9], [100, 2, 128, 4]], np.float32)
    assert_right(converted_to_every_type, x, framework="jax", kinds=("native",))
