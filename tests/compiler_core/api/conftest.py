"""Each test of torch.compile begins with nothing compiled."""

import pytest
import torch

from compiler_core.api import dynamo_backend


@pytest.fixture(autouse=True)
def _forget():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture
def compilations(monkeypatch):
    """The graphs that have been compiled."""
    graphs, compile_graph = [], dynamo_backend.compile_graph

    def counted(captured, device):
        graphs.append(captured.graph)
        return compile_graph(captured, device)

    monkeypatch.setattr(dynamo_backend, "compile_graph", counted)
    return graphs
