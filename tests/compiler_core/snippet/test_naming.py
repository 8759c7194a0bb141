"""A program is named by what its author wrote, whatever is wrapped around it."""

import functools
from typing import Any

import torch

from compiler_core.snippet.naming import name_of


def scaled(x: Any) -> Any:
    return x * 2


def logged(fn: Any) -> Any:
    @functools.wraps(fn)
    def inner(*args: Any) -> Any:
        return fn(*args)

    return inner


def test_decorated_functions() -> None:
    assert name_of(torch.no_grad()(scaled)) == "scaled"
    assert name_of(torch.inference_mode()(scaled)) == "scaled"
    assert name_of(logged(scaled)) == "scaled"
    assert name_of(logged(torch.no_grad()(scaled))) == "scaled"


def test_a_decorated_object_is_named_by_its_class() -> None:
    model = torch.nn.ReLU()
    assert name_of(torch.no_grad()(model)) == "ReLU"
    assert name_of(logged(model)) == "ReLU"
    assert name_of(logged(functools.partial(scaled))) == "scaled"


def test_a_function_that_wraps_nothing_has_its_own_name() -> None:
    def inner(x: Any) -> Any:
        return scaled(x)

    assert name_of(inner) == "inner"
    assert name_of(lambda x: x) == "lambda"
