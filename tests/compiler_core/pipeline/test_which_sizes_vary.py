"""Which sizes of a program vary: those that the snippet marks, declares, names or changes."""

import pytest

from tests.compiler_core.pipeline.varying import checked, explored, text
from tests.sweep_plugin import crossed

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]


def test_dynamic_in_a_snippet_makes_every_size_of_a_call_vary():
    result = explored("""
        import torch
        @torch.compile(dynamic=True)
        def f(x, y):
            return torch.tanh(x) + y
        f(torch.ones(32, 64), torch.ones(64))
        f(torch.ones(9, 10), torch.ones(10))
    """)
    (program,) = result.programs
    assert program.status == "ok" and program.inputs == ["f32[S0=32,S1=64]", "f32[S1=64]"]
    assert "long S0, long S1" in text(program, "c").replace("\n    ", " ")
    said = "all within tolerance, also at S0 = 2, S1 = 2 and at S0 = 61, S1 = 93"
    assert checked(program) == said
    assert not [n.text for n in result.notices if "recompile" in n.text]


def test_a_dimension_marked_in_a_snippet_varies():
    result = explored("""
        import torch
        x = torch.ones(32, 64)
        torch._dynamo.mark_dynamic(x, 0)
        torch.compile(torch.nn.Linear(64, 8))(x)
    """)
    (program,) = result.programs
    assert program.status == "ok" and program.inputs == ["f32[S0=32,64]"]
    assert checked(program) == "all within tolerance, also at S0 = 2 and at S0 = 61"


def test_a_mark_has_a_least_and_a_greatest_size():
    result = explored("""
        import torch
        x = torch.ones(32, 64)
        torch._dynamo.mark_dynamic(x, 0, min=16, max=48)
        torch.compile(lambda x: torch.tanh(x) + 1 if x.shape[0] > 8 else x)(x)
    """)
    (program,) = result.programs
    assert program.status == "ok" and program.inputs == ["f32[S0=32,64]"]
    assert any("every S0 (32 in this call) from 16 to 48" in n.text for n in result.notices)
    assert checked(program) == "all within tolerance, also at S0 = 16 and at S0 = 48"


def test_a_size_that_is_marked_as_static_does_not_vary():
    result = explored("""
        import torch
        x = torch.ones(32, 64)
        torch._dynamo.mark_static(x, 1)
        torch.compile(torch.tanh, dynamic=True)(x)
    """)
    assert result.programs[0].inputs == ["f32[S0=32,64]"]


def test_what_torch_export_is_told_of_sizes_holds():
    result = explored("""
        import torch
        from torch.export import Dim, export
        class Net(torch.nn.Module):
            def forward(self, x, y):
                return torch.tanh(x) + y
        given = torch.ones(32, 64), torch.ones(64)
        batch = Dim("batch", min=4, max=40)
        export(Net(), given, dynamic_shapes={"x": {0: batch}, "y": None})
    """)
    (program,) = result.programs
    assert program.status == "ok" and program.inputs == ["f32[Batch=32,64]", "f32[64]"]
    assert checked(program) == "all within tolerance, also at Batch = 4 and at Batch = 40"


def test_a_mark_on_an_argument_of_a_function_that_is_only_called_varies():
    result = explored("""
        import torch
        def f(x, b):
            return torch.tanh(x) + b
        x = torch.ones(32, 64)
        torch._dynamo.mark_dynamic(x, 0)
        f(x, b=torch.ones(64))
    """)
    (program,) = result.programs
    assert program.status == "ok" and program.inputs == ["f32[S0=32,64]", "f32[64]"]


def test_a_size_that_a_later_call_changes_is_a_symbol_as_for_torch_dynamo():
    result = explored("""
        import torch
        @torch.compile
        def f(x):
            return torch.tanh(x) * 2
        for n in (32, 48, 50):
            f(torch.randn(n, 64))
    """)
    (program,) = result.programs
    assert program.status == "ok" and program.inputs == ["f32[S0=32,64]"]
    assert checked(program) == "all within tolerance, also at S0 = 2 and at S0 = 61"
    assert [n.text for n in result.notices] == [
        "recompile of `f`: f32[32,64] -> f32[48,64], with a symbol for what changed",
        "f is compiled once for every S0 (32 in this call) from 2 on",
    ]


GIVEN = {
    "by keyword": ("f32[B=32,64], y=f32[B=32,64]", "x + y", ["f32[B=32,64]"] * 2),
    "all by keyword": ("y=f32[B=32,64], x=f32[64]", "x + y", ["f32[B=32,64]", "f32[64]"]),
    "in a list": ("[f32[B=32,64], f32[64]]", "x[0] + x[1]", ["f32[B=32,64]", "f32[64]"]),
    "beside a number": ("2.0, f32[B=32,64]", "y * x", ["f32[B=32,64]"]),
}


@pytest.mark.parametrize(("name", "framework"), crossed(GIVEN, ["torch", "jax.numpy"]))
def test_sizes_with_names_vary_wherever_a_tensor_is_among_the_arguments(name, framework):
    inputs, expression, shown = GIVEN[name]
    result = explored(f"""
        # inputs: {inputs}
        import {framework} as np
        def f(x, y=None):
            return np.tanh({expression})
    """)
    (program,) = result.programs
    assert program.status == "ok" and sorted(program.inputs) == sorted(shown)
    assert checked(program) == "all within tolerance, also at B = 2 and at B = 61"


def test_a_size_of_what_an_object_holds_cannot_vary():
    result = explored("""
        # inputs: f(Holder(f32[B=32,64]))
        import torch
        class Holder:
            def __init__(self, x):
                self.x = x
        def f(held):
            return torch.tanh(held.x)
    """)
    wrong = "the size B cannot vary: no tensor among the arguments has it"
    assert not result.programs and result.error.message == wrong
