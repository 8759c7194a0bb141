"""What is said where no inputs are found for what nothing calls."""

import pytest

from compiler_core.errors import NoProgramFound
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

TORCH = "import torch\n"


def test_where_one_has_no_guess_the_others_run():
    source = TORCH + "def f(scene):\n    return scene.rays().hit()\ndef g(x):\n    return x * 2\n"
    found = explore(source)
    assert [p.name for p in found.programs] == ["g"]
    assert any("no inputs were found for `f`" in n.text for n in found.notices)


def test_what_gives_no_tensor_is_said_to_be_none():
    source = (
        "class Wrapped(torch.nn.Module):\n    def __init__(self, linear: torch.nn.Linear):\n"
        "        super().__init__()\n        self.linear = linear\n"
        "    def forward(self, x):\n        return self.linear(x) * 2\n"
        "def wrap(model):\n    for name, child in model.named_children():\n"
        "        if isinstance(child, torch.nn.Linear):\n"
        "            setattr(model, name, Wrapped(child))\n"
        "        else:\n            wrap(child)\n    return model\n"
    )
    found = explore(TORCH + source)
    assert [p.name for p in found.programs] == ["Wrapped"]
    assert any("`wrap` is not compiled: what wrap(" in n.text for n in found.notices)


def test_where_no_guess_goes_through_it_is_said_what_failed():
    with pytest.raises(NoProgramFound) as caught:
        explore(TORCH + "def render(scene):\n    return scene.rays().hit()\n")
    error = caught.value
    assert "nothing calls `render`" in error.message
    assert "has no attribute 'rays'" in error.message and "FakeTensor" not in error.message
    assert (error.line, error.candidates[0].name) == (3, "render")


def test_what_is_called_and_was_not_found_is_named():
    with pytest.raises(NoProgramFound, match="`model` is called there: define it"):
        explore(TORCH + "def f(model, x):\n    return model(x, x, x).loss\n")


def test_a_name_that_the_snippet_has_not_is_said():
    with pytest.raises(NoProgramFound, match="no function or module `g`"):
        explore(TORCH + "def f(x):\n    return x\n", inputs="g(f32[2])")


def test_an_array_that_jax_traces_is_called_so():
    source = "import jax\ndef loss(model, x):\n    return jax.grad(model)(x)\n"
    with pytest.raises(NoProgramFound) as caught:
        explore(source)
    assert "got a traced f" in caught.value.message and "Tracer" not in caught.value.message
