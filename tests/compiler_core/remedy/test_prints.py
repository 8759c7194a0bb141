"""A print is for who does not compile."""

from tests.compiler_core.remedy.remedying import TORCH, changed


def test_print_is_for_who_does_not_compile_and_comments_stay():
    before = 'def f(x):\n    y = x * 2  # twice\n    print("mean",\n          y)\n    return y\n'
    after = (
        "def f(x):\n    y = x * 2  # twice\n    if not torch.compiler.is_compiling():\n"
        '        print("mean",\n          y)\n    return y\n'
    )
    assert changed(TORCH, before, "graph break", line=4) == after


def test_a_print_behind_something_on_its_line_stays_there():
    body = "def f(x):\n    y = x * 2; {}print(y)  # here\n    return y\n"
    after = body.format("torch.compiler.is_compiling() or ")
    assert changed(TORCH, body.format(""), "graph break") == after
