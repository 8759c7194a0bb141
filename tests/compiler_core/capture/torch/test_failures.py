"""A torch program that cannot be traced is one sentence with the snippet's line."""

import pytest

from compiler_core.capture import capture
from compiler_core.errors import CaptureError
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu


def failure(body: str, inputs: str = "f32[4]") -> CaptureError:
    found = explore(f"import torch\ndef f(x):\n    {body}\n", inputs=inputs)
    with pytest.raises(CaptureError) as error:
        capture(found.programs[0])
    return error.value


def test_shapes_that_do_not_fit():
    error = failure("return x @ x.view(2, 2)")
    assert error.line == 3
    assert "RuntimeError" in error.message


def test_an_exception_of_the_program():
    error = failure("return x + {}['a']")
    assert error.message == "run by PyTorch itself, the program raises KeyError: 'a'"
    assert error.traceback.count("File") == 1


def test_a_tensor_of_the_trace_is_a_tensor_to_the_snippet():
    error = failure("return x.sun()")
    assert error.message.endswith("AttributeError: 'Tensor' object has no attribute 'sun'")
    assert "Fake" not in error.traceback


def test_a_program_without_a_tensor_result():
    assert failure("return 1").message == "the program returns no tensor"
