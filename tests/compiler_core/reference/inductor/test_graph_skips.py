"""Why there is no CUDA graph, in plain words: torch's own sentences, as its code has them."""

import pytest
import torch
from torch._inductor import cudagraph_utils

from compiler_core.reference.inductor.graph_skips import in_words

pytestmark = pytest.mark.null


def of_devices(*names: str) -> str:
    """What torch says of a graph whose tensors are on these devices, computed in line 7."""
    graph = torch.fx.Graph()
    given = graph.placeholder("x")
    graph.call_function(torch.relu, (given,)).meta["stack_trace"] = STACK
    said = cudagraph_utils.check_multiple_devices_or_any_cpu_nodes(
        {torch.device(name): given for name in names}
    )
    assert said is not None
    return said


STACK = """  File "<snippet>", line 12, in step
    return head(x)
  File "<snippet>", line 7, in head
    return torch.relu(x)
"""


def test_a_graph_of_the_cpu_and_one_of_several_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    assert in_words(of_devices("cuda:0", "cuda:1")) == (
        "its tensors are on several devices: device(type='cuda', index=0), "
        "device(type='cuda', index=1)"
    )
    monkeypatch.setattr(cudagraph_utils, "is_using_cudagraph_partition", lambda: True)
    assert in_words(of_devices("cpu")) == "none of its tensors is on a GPU"


def test_the_line_stands_there_where_torch_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cudagraph_utils, "is_using_cudagraph_partition", lambda: False)
    assert in_words(of_devices("cpu", "cuda:0")) == (
        "x is on the CPU, which no CUDA graph can read (line 7)"
    )


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("skipping cudagraphs due to mutated inputs (2 instances)", "it writes into what it is"),
        (f"control flow operator: torch.cond. Found from : \n {STACK}", "torch.cond chooses while"),
        ("disabling cudagraphs due to incompatible op aten.nonzero", "aten.nonzero cannot be"),
        ("what no version says today", "what no version says today"),
    ],
)
def test_a_reason_is_plain_and_an_unknown_one_stays(said: str, words: str) -> None:
    assert in_words(said).startswith(words)
