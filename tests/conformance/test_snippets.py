"""Snippets as samples of the conformance run."""

import sys

import pytest

from conformance import snippets

pytestmark = pytest.mark.cpu


def test_a_snippet_is_main_while_its_programs_are_judged():
    """TorchDynamo looks up what a module of the snippet's calls by the name of its module."""
    before = sys.modules["__main__"]
    judged = [
        sys.modules["__main__"] for _ in snippets.samples("torch_function_embedding", "torch")
    ]
    assert judged and all("F" in vars(module) for module in judged)
    assert sys.modules["__main__"] is before
