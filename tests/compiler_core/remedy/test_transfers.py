"""A tensor that went to the CPU and back stays where it is."""

import pytest

from tests.compiler_core.remedy.remedying import TORCH, changed


@pytest.mark.parametrize("call", [".cpu()", '.to("cpu")', '.to(device="cpu")'])
def test_a_tensor_stays_on_its_device(call):
    body = f"def f(x):\n    return x - x.mean(){call}.to(x.device)  # here\n"
    assert changed(TORCH, body, "host sync") == body.replace(call, "")
