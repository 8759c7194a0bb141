"""A program is compiled for inputs of the form that they had at the call."""

import pytest
import torch

from compiler_core.capture import capture
from compiler_core.snippet.forms import as_given, forms_of
from tests.compiler_core.capture.oracle import agrees
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

CHANGES = """
import torch

@torch.compile
def f(x, others):
    {change}
    print("a break")
    return x * 2

x = torch.arange(12.0).reshape(3, 4)
f(x, [x])
"""


@pytest.mark.parametrize(
    "change", ["x.unsqueeze_(0)", "x.t_()", "others[0].transpose_(0, 1)", "x.resize_(2, 6)"]
)
def test_an_input_has_the_form_that_it_was_given_with(change):
    (program,) = explore(CHANGES.format(change=change)).programs
    x, (again,) = program.args
    assert x is again, "it is one tensor still"
    assert torch.equal(x, torch.arange(12.0).reshape(3, 4))
    result = agrees(capture(program))
    assert {tuple(x.shape) for x in result.arguments} == {(3, 4)}


def test_a_tensor_whose_memory_is_shorter_by_now_is_as_it_is():
    x = torch.ones(3, 4)
    forms = forms_of([x])
    x.resize_(2).untyped_storage().resize_(8)
    assert as_given([x], forms)[0] is x


def test_a_form_is_known_of_what_has_one():
    assert forms_of([1, "text", torch.ones(2).to_sparse(), torch.empty(2, device="meta")]) == {}
