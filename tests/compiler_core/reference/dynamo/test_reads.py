"""Where a function first reads what a guard is on."""

from types import CodeType

import pytest

from compiler_core.reference.dynamo.reads import first_read

FORWARD = """\
def forward(self, x, h):
    h = h + 1
    y = self.up(x)
    z = self.norm.eps * self.scale + h
    return torch.relu(y) * SCALE + z
"""


def code(file: str) -> CodeType:
    found: dict[str, object] = {}
    exec(compile(FORWARD, file, "exec"), found)
    return found["forward"].__code__


@pytest.mark.parametrize(
    "text, line",
    [
        ("check_tensor(L['x'], Tensor, DispatchKeySet(CPU), torch.float32, size=[4, 16])", 3),
        ("L['h'] == 2", 2),
        ("check_tensor(L['self']._modules['up']._parameters['weight'], Parameter)", 3),
        ("___check_type_id(L['self']._modules['up'].__dict__, 94)", 3),
        ("L['self']._modules['norm'].eps == 1e-05", 4),
        ("L['self'].scale == 2.0", 4),
        ("G['SCALE'] == 3", 5),
        ("___check_obj_id(L['self'], 12)", 3),
        ("L['self']._forward_hooks", 3),
        ("L['other'] == 1", None),
        ("___check_global_state()", None),
    ],
)
def test_a_guard_is_of_the_line_that_first_reads_its_value(text: str, line: int | None) -> None:
    assert first_read(code("<snippet>"), text) == line


def test_a_function_of_a_library_has_no_lines_of_the_snippets() -> None:
    assert first_read(code("torch/nn/modules/linear.py"), "L['x'] == 1") is None
