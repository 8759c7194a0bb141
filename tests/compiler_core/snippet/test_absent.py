"""What a snippet imports of packages that are not installed, where it can do without."""

import pytest

from compiler_core.errors import SnippetError
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
    "line", ["import nowhere; nowhere.seed(0)", "from nowhere import *", "from nowhere import f"]
)
def test_one_that_is_used_is_missing(line):
    with pytest.raises(SnippetError, match="nowhere is not installed here"):
        explore(F.format(line))


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
