"""What a snippet calls and does not compile is a program with the arguments of that call."""

import pytest

from compiler_core.capture import capture
from tests.compiler_core.snippet.seeing import FUNCTION, JAX, TORCH, only, shapes
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu


def test_a_function_that_is_called():
    program = only(FUNCTION + "f(torch.ones(3))\nf(torch.ones(4))\n")
    assert (program.name, program.line, shapes(program)) == ("f", 3, [(3,)])
    assert program.args[1] == 2 and program.ran


def test_inputs_that_are_given_win():
    assert shapes(only(FUNCTION + "f(torch.ones(3), 2)\n", inputs="f32[7]")) == [(7,)]


def test_a_module_that_is_called_and_trained():
    program = only(
        TORCH
        + "model = nn.Linear(4, 2)\nloss = nn.MSELoss()\n"
        + "for _ in range(2):\n    loss(model(torch.ones(3, 4)), torch.zeros(3, 2)).backward()\n"
    )
    assert (program.name, shapes(program)) == ("Linear", [(3, 4)])
    assert list(program.gradients) == [0]


def test_what_gives_no_tensor_back_is_looked_into():
    program = only(
        FUNCTION + "def main(n):\n    y = f(torch.ones(n))\n    print(y.sum())\nmain(3)\n"
    )
    assert program.name == "f"


def test_an_autograd_function_that_is_applied():
    program = only(
        TORCH + "class Clipped(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x, low):\n"
        "        ctx.save_for_backward(x > low)\n        return x.clamp_min(low)\n"
        "    @staticmethod\n    def backward(ctx, g):\n"
        "        return g * ctx.saved_tensors[0], None\n"
        "clip = Clipped.apply\nx = torch.randn(8, requires_grad=True)\n"
        "for low in (0.0, 0.0):\n    clip(x, low).square().sum().backward()\n"
    )
    assert (program.name, program.line, shapes(program)) == ("Clipped", 5, [(8,)])
    assert list(program.gradients) == [0]
    assert len(capture(program).graphs) == 2  # forward and backward


def test_what_prepares_data_in_numpy_is_no_program():
    program = only(
        FUNCTION + "import numpy as np\ndef normed(a):\n    return (a - a.mean()) / a.std()\n"
        "f(torch.from_numpy(normed(np.arange(6.0))))\n"
    )
    assert program.name == "f"


@pytest.mark.parametrize("given", ["", "same(torch.ones(3), torch.ones(3))\n" * 2])
def test_what_asks_a_question_of_tensors_is_a_program_where_there_is_no_other(given):
    asking = "def same(a, b):\n    return torch.equal(a, b)\n" + given
    program = only(TORCH + asking)
    assert (program.name, program.ran) == ("same", bool(given))
    assert only(FUNCTION + "f(torch.ones(3))\n" + asking).name == "f"


def test_what_it_calls_itself_is_part_of_it():
    program = only(
        FUNCTION + "def g(x):\n    return f(x) + 1\ng(torch.ones(2))\nf(torch.ones(3))\n"
    )
    assert program.name in ("g", "f")


def test_a_function_of_keywords_and_a_varying_number_of_arguments():
    program = only(
        TORCH + "def f(*xs, scale=1):\n    return xs[0] * scale\nf(torch.ones(2), scale=3)\n"
    )
    assert (shapes(program), program.kwargs) == ([(2,)], {"scale": 3})


@pytest.mark.parametrize(
    ("head", "body", "given", "values"),
    [
        ("x, on=True", "x if on else -x", "jnp.ones(3)", (1,)),
        ("x, n", "jnp.zeros(n) + x.sum()", "jnp.ones(3), 4", (1,)),
        ("g, x", "g(x) + 1", "jnp.sin, jnp.ones(3)", (0,)),
        ("x, rate", "x * rate", "jnp.ones(3), 0.5", ()),
    ],
)
def test_flags_sizes_and_functions_are_values_to_what_jax_runs_as_python(head, body, given, values):
    program = only(f"{JAX}def f({head}):\n    return {body}\nf({given})\n")
    assert program.static_argnums == values and len(capture(program).graphs) == 1


WHO_HEARS = """\
import sys
heard = []
@jax.jit
def f(x):
    heard.append(sys.getprofile())
    return x + 1
f(jnp.ones(3))
"""


def test_calls_that_a_compiler_makes_are_not_listened_to():
    assert only(JAX + WHO_HEARS + "assert heard == [None] and sys.getprofile()\n").ran


def test_a_profile_function_of_the_snippet_hears_all():
    own = "import sys\ndef own(*_): pass\nsys.setprofile(own)\n"
    end = "assert heard == [own]\nsys.setprofile(None)\n"
    assert only(JAX + own + WHO_HEARS + end).ran


def test_python_of_the_snippet_runs_once():
    found = explore(FUNCTION.replace("return", "print('ran')\n    return") + "f(torch.ones(3))\n")
    assert found.stdout == "ran\n"


def test_donated_arrays_are_there_for_further_calls():
    program = only(JAX + "f = jax.jit(lambda x: x + 1, donate_argnums=0)\nf(jnp.ones(3))\n")
    assert not program.args[0].is_deleted()


def test_annotations_of_a_package_that_is_not_there_are_read():
    found = explore(
        "from jaxtyping import Float\nimport torch\n"
        'def f(x: Float[torch.Tensor, "batch 16"]) -> Float[torch.Tensor, "16"]:\n'
        "    return x.sum(0)\n"
    )
    assert found.programs[0].assumed == "f(f32[8,16])"


def test_numpy_is_told_so():
    from compiler_core.errors import NoProgramFound

    with pytest.raises(NoProgramFound, match="written in NumPy") as caught:
        explore("import numpy as np\ndef f(x):\n    return np.exp(x.foo)\n")
    assert "import jax.numpy as np" in caught.value.remedy
