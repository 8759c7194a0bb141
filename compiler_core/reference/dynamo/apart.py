"""A compilation that leaves no trace in the process."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType

from compiler_core.capture.captured import Captured
from compiler_core.capture.torch.dynamo import private as dynamo
from compiler_core.reference.dynamo import private
from compiler_core.snippet.source import is_own


@contextmanager
def apart(captured: Captured) -> Iterator[None]:
    """Context in which Dynamo's caches are empty of the snippet, and after which they are as
    before. A program of several graphs runs what Dynamo has compiled of it: forgetting that would
    compile all of it again."""
    if captured.session is None:
        dynamo.forget()
        try:
            yield
        finally:
            dynamo.forget()
    else:
        with _own_code(), private.fresh_sizes():
            yield


@contextmanager
def _own_code() -> Iterator[None]:
    """Context in which the snippet's functions have equal code of another identity: compiled code
    goes by code objects."""
    functions = [f for f in gc.get_objects() if type(f) is FunctionType and _is_own(f)]
    before = [(f, f.__code__) for f in functions]
    copied = {code: _copy(code) for _, code in before}
    try:
        for function, code in before:
            function.__code__ = copied[code]
        yield
    finally:
        for function, code in before:
            function.__code__ = code


def _is_own(function: FunctionType) -> bool:
    return is_own(function.__code__.co_filename)


def _copy(code: CodeType) -> CodeType:
    """With copies of the functions that are defined in it."""
    inner = tuple(_copy(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_consts=inner)
