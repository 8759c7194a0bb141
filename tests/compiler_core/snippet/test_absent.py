"""What a snippet imports of packages that are not installed, where it can do without."""

import pytest

from compiler_core.errors import SnippetError
from compiler_core.report import Options
from compiler_core.snippet.run import find_programs
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

F = """
    import torch
    {}
    @torch.compile
    def f(x):
        return x + 1

    f(torch.ones(3))
"""


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("from nowhere.layers import rearrange, reduce as r", "nowhere"),
        ("import nowhere.plots, nowhere", "nowhere"),
        ("def g():\n        import nowhere as n", "nowhere"),
    ],
)
def test_an_import_that_is_not_used_is_left_out(line, name):
    found = explore(F.format(line))
    assert [(p.name, p.line) for p in found.programs] == [("f", 5 + line.count("\n"))]
    assert f"{name} is not installed here, and not used" in found.notices[0].text


@pytest.mark.parametrize(
    "line",
    [
        "import nowhere; nowhere.seed(0)",
        "from nowhere import *",
        "from nowhere import a as b; b + 1",
        "import json, nowhere.b as c; c.E()",
    ],
)
def test_one_that_is_used_is_missing(line):
    with pytest.raises(SnippetError, match="nowhere is not installed here"):
        explore(F.format(line))


def test_of_a_package_that_is_missing_nothing_is_said_to_be_left_out():
    events: list[object] = []
    text = "import torch\nfrom nowhere.layers import h\nfrom nowhere import f\nf()\n"
    with pytest.raises(SnippetError, match="nowhere is not installed here"):
        find_programs(text, Options(), "cpu", events.append)
    assert events == []


TUTORIAL = """
    import os
    import torch
    from nowhere import datasets, transforms as T
    from .layers import Norm, Config

    class Net(torch.nn.Module):
        def __init__(self, width: int = 8, config: Config | None = None):
            super().__init__()
            self.linear = torch.nn.Linear(width, 4)

        def forward(self, x):
            return self.linear(x)

    def main():
        {}

    main()
"""


@pytest.mark.parametrize(
    ("body", "message", "line"),
    [
        (
            "data = datasets.MNIST('../data', transform=T.ToTensor())",
            "nowhere is not installed",
            16,
        ),
        ("Norm(3)", ".layers is another file, and a snippet is one", 16),
        ("open('/nowhere/input.txt').read()", "FileNotFoundError", 16),
    ],
)
def test_a_model_before_what_is_missing_is_a_program(body, message, line):
    found = explore(TUTORIAL.format(body))
    assert [p.name for p in found.programs] == ["Net"] and found.error is not None
    assert message in found.error.message and found.error.line == line


def test_what_is_imported_and_nothing_asks_of_is_said():
    found = explore(TUTORIAL.format("None if True else datasets.MNIST(T)"))
    assert [p.name for p in found.programs] == ["Net"] and found.error is None
    assert [(n.text.partition(" is ")[0], n.line) for n in found.notices][-2:] == [
        ("nowhere", 4), (".layers", 5)
    ]  # fmt: skip


def test_a_snippets_own_mistake_is_not_looked_past():
    with pytest.raises(SnippetError, match="NameError"):
        explore(TUTORIAL.format("undefined()"))


def test_a_snippet_that_asks_whether_a_package_is_there_is_told():
    found = explore(
        F.format("try:\n        import nowhere\n    except ImportError:\n        y = 2")
    )
    assert found.programs[0].module.y == 2


LOOP = """
    import torch
    from tqdm.auto import tqdm, trange
    import matplotlib.pyplot as plt
    step = torch.compile(lambda x: x * 2)
    bar, losses = tqdm(range(3), desc="steps"), []
    for i in bar:
        losses.append(step(torch.ones(4)).sum())
        bar.set_postfix(loss=losses[-1])
    assert len(losses) == 3 and list(trange(2)) == [0, 1]
    with tqdm(total=3) as more:
        more.update(1)
    fig, ax = plt.subplots(figsize=(3, 4))
    ax.plot(losses)
    plt.show()
"""


def test_progress_bars_count_and_plots_are_left_out():
    found = explore(LOOP)
    assert [p.name for p in found.programs] == ["lambda"]
    assert {n.text.partition(" ")[0] for n in found.notices} == {"tqdm", "matplotlib"}
    with pytest.raises(SnippetError):
        explore("import torch\nimport tqdm.nowhere\n" + F.format(""))


NEEDED = """
import torch
from nowhere.nn import Conv

class Net(torch.nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.conv = Conv(c_in, c_out)

    def forward(self, x, edges):
        return self.conv(x, edges)
"""


def test_a_program_that_nothing_calls_is_not_guessed_at_for_want_of_a_package():
    with pytest.raises(SnippetError, match="nowhere is not installed here") as raised:
        explore(NEEDED)
    assert raised.value.line == 8
