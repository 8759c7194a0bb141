"""The benchmark convention: a class `Model`, `get_inputs()`, and `get_init_inputs()` for its
constructor."""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from compiler_core.errors import SnippetError
from compiler_core.snippet.framework import framework_of
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.source import Source
from compiler_core.snippet.tensors import seed


def program(source: Source, module: ModuleType) -> FoundProgram | None:
    """The model with its inputs; None for a snippet that does not follow the convention. Raises
    SnippetError if `get_inputs` returns no list."""
    model_class = getattr(module, "Model", None)
    get_inputs = getattr(module, "get_inputs", None)
    if not isinstance(model_class, type) or not callable(get_inputs):
        return None
    line = source.bindings.get("Model")
    seed("torch")
    args, kwargs = _constructor_arguments(getattr(module, "get_init_inputs", None))
    model = model_class(*args, **kwargs)
    inputs = get_inputs()
    if not isinstance(inputs, list | tuple):
        raise SnippetError(
            f"get_inputs() returns {type(inputs).__name__}, not a list",
            line=source.bindings.get("get_inputs"),
            remedy="return a list with one tensor for each parameter of forward",
        )
    return FoundProgram("Model", framework_of(model, module), line, model, tuple(inputs))


def _constructor_arguments(get: Any) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """A list, or a pair of a list and a dict."""
    given = list(get()) if callable(get) else []
    if len(given) == 2 and isinstance(given[0], list | tuple) and isinstance(given[1], dict):
        return given[0], given[1]
    return given, {}
