"""Functions and modules whose inputs are given beside them."""

import pytest

from compiler_core.errors import NoProgramFound, SnippetError
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

TWO = """
import torch

def first(x):
    return x + 1

def second(x, y):
    return x + y

def _private(x, y):
    return x
"""


def test_a_comment_gives_inputs():
    found = explore("# inputs: f32[2,3], i64[3]\nimport torch\ndef f(x, i):\n    return x + i\n")
    (program,) = found.programs
    assert [str(x.dtype) for x in program.args] == ["torch.float32", "torch.int64"]


def test_options_win_over_the_comment():
    found = explore("# inputs: f32[2]\nimport torch\ndef f(x):\n    return x\n", inputs="bf16[4]")
    assert str(found.programs[0].args[0].dtype) == "torch.bfloat16"


def test_the_last_function_that_takes_so_many_inputs_is_meant():
    assert [p.name for p in explore(TWO, inputs="f32[2], f32[2]").programs] == ["second"]
    assert [p.name for p in explore(TWO, inputs="f32[2]").programs] == ["first"]


def test_a_choice_is_told():
    (notice,) = explore(TWO, inputs="f32[2]").notices
    assert (notice.text, notice.line) == ("the inputs are taken for `first`", 4)


def test_several_comments_each_mean_the_next_function():
    found = explore(
        """
        import torch

        # inputs: f32[2]
        def first(x):
            return x + 1

        # inputs: f32[3]
        def second(x):
            return x + 2
        """
    )
    assert [(p.name, tuple(p.args[0].shape)) for p in found.programs] == [
        ("first", (2,)),
        ("second", (3,)),
    ]


def test_a_module_class_without_arguments_is_built():
    found = explore(
        """
        # inputs: f32[2,4]
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = torch.nn.Linear(4, 4)

            def forward(self, x):
                return self.linear(x)
        """
    )
    assert isinstance(found.programs[0].fn.linear.weight.shape, tuple)


def test_a_module_object_is_a_program():
    source = "# inputs: f32[2,4]\nimport torch\nnet = torch.nn.Linear(4, 3)\n"
    assert [(p.name, p.line) for p in explore(source).programs] == [("net", 3)]


def test_the_framework_is_what_the_code_uses():
    source = """
    # inputs: f32[4]
    import torch
    import jax.numpy as jnp

    def f(x):
        return jnp.sin(x)
    """
    assert explore(source).programs[0].framework == "jax"


def test_the_same_inputs_come_every_time():
    source = "# inputs: f32[8]\nimport torch\ndef f(x):\n    return x\n"
    first, second = (explore(source).programs[0].args[0] for _ in range(2))
    assert bool((first == second).all())


def test_the_model_convention_is_found():
    found = explore(
        """
        import torch

        class Model(torch.nn.Module):
            def __init__(self, width):
                super().__init__()
                self.linear = torch.nn.Linear(width, 2)

            def forward(self, x):
                return self.linear(x)

        def get_init_inputs():
            return [4]

        def get_inputs():
            return [torch.ones(3, 4)]
        """
    )
    assert [(p.name, p.line) for p in found.programs] == [("Model", 4)]


def test_inputs_that_no_function_takes_are_one_sentence():
    with pytest.raises(NoProgramFound) as error:
        explore(TWO, inputs="f32[2], f32[2], f32[2]")
    assert error.value.message == "no function or module of the snippet takes 3 inputs"
    assert "second(x, y)" in error.value.remedy


def test_inputs_that_do_not_parse_name_the_comment():
    with pytest.raises(SnippetError) as error:
        explore("import torch\n# inputs: f32[3,\ndef f(x):\n    return x\n")
    assert error.value.line == 2
    assert "f32[3," in error.value.message


def test_a_snippet_without_functions_says_so():
    with pytest.raises(NoProgramFound, match="defines no function"):
        explore("x = 1\n")


def test_a_comment_about_inputs_in_words_is_none_of_them():
    found = explore("import torch\n# inputs: a batch of x\ndef f(x):\n    return x * 2\n")
    assert found.programs[0].assumed == "f(f32[128,256])"


@pytest.mark.parametrize("decorator", ["torch.no_grad()", "torch.inference_mode()", "logged"])
def test_a_decorated_function_is_a_program(decorator):
    found = explore(
        f"""
        import functools
        import torch

        def logged(fn):
            @functools.wraps(fn)
            def inner(*args):
                return fn(*args)
            return inner

        # inputs: f32[2], f32[2]
        @{decorator}
        def f(x, y):
            return x + y
        """
    )
    (program,) = found.programs
    assert (program.name, program.line) == ("f", 13)


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_inputs_may_be_complex(framework):
    source = f"# inputs: c64[4,3]\nimport {framework}\n\ndef f(z):\n    return abs(z)\n"
    (found,) = explore(source).programs
    (z,) = found.args
    assert (str(z.dtype).removeprefix("torch."), tuple(z.shape)) == ("complex64", (4, 3))
    assert float(abs(z.imag).max()) > 0 and found.assumed == ""
