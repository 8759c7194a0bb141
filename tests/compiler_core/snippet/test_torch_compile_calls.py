"""Calls through torch.compile make programs, and the snippet runs as it is."""

import pytest

from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu


def test_a_decorated_function_is_a_program():
    found = explore(
        """
        import torch

        @torch.compile
        def double(x):
            return x * 2

        double(torch.ones(4, 8))
        """
    )
    (program,) = found.programs
    assert (program.name, program.framework, program.line) == ("double", "torch", 5)
    assert [tuple(x.shape) for x in program.args] == [(4, 8)]


def test_options_of_torch_compile_are_accepted():
    found = explore(
        """
        import torch

        @torch.compile(mode="max-autotune", fullgraph=True)
        def double(x):
            return x * 2

        triple = torch.compile(lambda x: x * 3, dynamic=False)
        double(torch.ones(4))
        triple(torch.ones(5))
        """
    )
    assert [p.name for p in found.programs] == ["double", "lambda"]


def test_programs_come_in_the_order_of_their_first_calls():
    found = explore(
        """
        import torch
        first = torch.compile(torch.sin)
        second = torch.compile(torch.cos)
        second(torch.ones(2))
        first(torch.ones(2))
        """
    )
    assert [p.name for p in found.programs] == ["cos", "sin"]


def test_a_compiled_module_looks_like_the_module():
    found = explore(
        """
        import torch
        model = torch.compile(torch.nn.Linear(3, 2))
        model.eval()
        model(torch.ones(1, 3))
        print(len(list(model.parameters())), model.out_features, model.training)
        """
    )
    assert found.stdout == "2 2 False\n"
    assert type(found.programs[0].fn).__name__ == "Linear"


def test_what_the_snippet_does_not_define_is_of_the_line_that_calls_it_first():
    found = explore(
        """
        import torch
        model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
        model = torch.compile(model)

        model(torch.ones(1, 3))
        model(torch.ones(1, 3))
        """
    )
    assert [p.line for p in found.programs] == [6]


def test_module_compile_in_place_is_a_program():
    found = explore(
        """
        import torch
        model = torch.nn.Linear(3, 2)
        model.compile()
        print(model(torch.ones(1, 3)).shape)
        """
    )
    assert [p.name for p in found.programs] == ["Linear"]
    assert found.stdout == "torch.Size([1, 2])\n"


def test_a_compiled_function_inside_another_is_part_of_it():
    found = explore(
        """
        import torch

        @torch.compile
        def inner(x):
            return x + 1

        @torch.compile
        def outer(x):
            return inner(x) * 2

        outer(torch.ones(2))
        """
    )
    assert [p.name for p in found.programs] == ["outer"]


def test_a_call_with_other_shapes_is_a_recompile():
    found = explore(
        """
        import torch
        f = torch.compile(lambda x: x * 2)
        f(torch.ones(4, 8))
        f(torch.ones(6, 8))
        f(torch.ones(6, 8))
        """
    )
    (notice,) = found.notices
    change = "f32[4,8] -> f32[6,8], with a symbol for what changed"
    assert notice.text == f"recompile of `lambda`: {change}"
    assert notice.line == 5


def test_a_compiled_method_keeps_its_object():
    found = explore(
        """
        import torch

        class Scale:
            def __init__(self):
                self.by = 3

            @torch.compile
            def __call__(self, x):
                return x * self.by

        print(Scale()(torch.ones(2)).tolist())
        """
    )
    assert found.stdout == "[3.0, 3.0]\n"
    assert [p.name for p in found.programs] == ["__call__"]


def test_torch_compile_is_itself_again_afterwards():
    import torch

    before = torch.compile, torch.nn.Module.compile
    explore("import torch\ntorch.compile(torch.sin)(torch.ones(2))")
    assert (torch.compile, torch.nn.Module.compile) == before


def test_programs_before_an_error_go_on():
    found = explore(
        """
        import torch
        torch.compile(torch.sin)(torch.ones(2))
        1 / 0
        """
    )
    assert [p.name for p in found.programs] == ["sin"]
    assert found.error.message == "ZeroDivisionError: division by zero"
    assert found.error.line == 4


def test_main_guard_runs():
    found = explore(
        """
        import torch
        if __name__ == "__main__":
            torch.compile(torch.sin)(torch.ones(2))
        """
    )
    assert len(found.programs) == 1


def test_a_function_compiled_twice_is_two_programs():
    found = explore(
        """
        import torch

        def f(x):
            return x * 2

        torch.compile(f)(torch.ones(3))
        torch.compile(f)(torch.ones(3) * 2)
        torch.compile(torch.sin)(torch.ones(2))
        """
    )
    assert [p.name for p in found.programs] == ["f", "f (2)", "sin"]


def test_a_program_is_in_the_mode_that_its_modules_were_in():
    found = explore(
        """
        import torch

        model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout())

        @torch.compile
        def evaluate(x):
            return model(x)

        @torch.compile
        def train(x):
            return model(x).sum()

        model.eval()
        evaluate(torch.ones(2, 4))
        model.train()
        train(torch.ones(2, 4))
        """
    )
    evaluated, trained = found.programs
    before = [(name, flag) for _, name, flag in evaluated.before]
    assert before == [("training", False)] * 3 and trained.before == ()
    assert all(space["training"] for space, _, _ in evaluated.before)


def test_a_program_is_under_the_autocast_of_its_call():
    found = explore(
        """
        import torch

        model = torch.compile(torch.nn.Linear(4, 4))
        double = torch.compile(lambda x: x @ x)
        with torch.autocast("cpu", torch.bfloat16):
            model(torch.ones(2, 4))
        double(torch.ones(4, 4))
        """
    )
    model, double = found.programs
    assert (model.name, str(model.fn(*model.args).dtype)) == ("Linear", "torch.bfloat16")
    assert str(double.fn(*double.args).dtype) == "torch.float32"
