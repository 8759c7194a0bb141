"""The pipeline from Python: `compiler_core.explore(fn, *args)` gives the report of one program."""

import inspect
import linecache
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from compiler_core import report
from compiler_core.api.wrong_calls import wrong_call
from compiler_core.backends.registry import device_in
from compiler_core.pipeline.order import explore_program
from compiler_core.report import Framework
from compiler_core.snippet.framework import framework_of, named_framework, root_of
from compiler_core.snippet.naming import name_of
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.source import also_own
from compiler_core.snippet.specs import leaves
from compiler_core.snippet.varying import Varying

# The clause for NumPy arrays, which torch does not take for tensors.
_TO_TORCH = "which are no tensors to torch"


def explore(
    fn: Callable[..., Any],
    *args: Any,
    fuselab_options: report.Options = report.Options(),
    **kwargs: Any,
) -> report.Report:
    """Compiles `fn(*args, **kwargs)` and returns its report, as the command line writes it.

    `fn` is a function, an nn.Module, or either of them already passed to torch.compile or jax.jit.
    It is run on copies of its tensors. Line numbers are those of the file in which `fn` is defined,
    which is the report's snippet. Errors of the program are in the report and not raised.
    Everything that torch.compile has compiled in this process is forgotten. Sizes vary where
    `dynamic=True` of torch.compile, or marks on tensors (mark_dynamic, with `min` and `max`), say
    so. Raises TypeError if `fn` cannot be called, is a class or is TorchScript's, and for options
    that do not exist or have a value of a wrong type.
    """
    wrong = wrong_call(fn, fuselab_options, kwargs)
    if wrong:
        raise TypeError(wrong)
    given, fn = fn, _plain(fn)
    framework, why = _framework(fn, (args, kwargs))
    file, line = _place(fn, sys._getframe(1).f_code.co_filename)
    source = "".join(linecache.getlines(file))
    program = FoundProgram(name_of(fn), framework, line, fn, args, kwargs)
    if framework == "torch":
        varying = _varying(given, args, kwargs)
        program = replace(program, sizes=varying.sizes, ranges=varying.ranges)
    result = report.Report()

    def emit(event: report.Event) -> None:
        report.apply(result, event)

    with also_own(file):
        device = _device((args, kwargs))
        explore_program(program, source, device, fuselab_options, emit, remark=why)
    return result


def _plain(fn: Any) -> Any:
    """What torch.compile or jax.jit was given."""
    module = getattr(fn, "_orig_mod", None)
    return module if module is not None else inspect.unwrap(fn, stop=lambda f: not _compiled(f))


def _compiled(fn: Any) -> bool:
    """Whether a function wraps the one that is meant."""
    return hasattr(fn, "_torchdynamo_orig_callable") or type(fn).__name__ == "PjitFunction"


def _framework(fn: Any, given: Any) -> tuple[Framework, str]:
    """That of the tensors; without any, that of what the function names; and a sentence that says
    by what it was decided, where it was not by the tensors."""
    arguments = leaves(given)
    for leaf in arguments:
        root = root_of(leaf)
        if root is not None:
            return root, ""
    root = next(filter(None, map(root_of, type(fn).__mro__)), None)
    if root is not None:  # a module, whose own code may name no framework
        return root, ""
    name, named = name_of(fn), named_framework(fn)
    if named is not None:
        return named, f"{name} is taken for a program of {named}, by the names that its code uses"
    if any(isinstance(leaf, np.ndarray) for leaf in arguments):
        return "jax", f"{name} is taken for a program of jax: it is given numpy arrays, {_TO_TORCH}"
    module = sys.modules.get(getattr(fn, "__module__", None) or type(fn).__module__)
    found = framework_of(fn, module or ModuleType("unknown"))
    return found, f"{name} is taken for a program of {found}, by the imports of its module"


def _varying(fn: Any, args: Any, kwargs: Any) -> Varying:
    """The sizes that vary, of a function or module of torch or of what torch.compile made of
    one."""
    from compiler_core.capture.torch.dynamo.private import dynamic_of

    varying = Varying(dynamic_of(fn))
    varying.meet(args, kwargs)
    return varying


def _device(given: Any) -> str:
    """That of the first tensor that is not on the CPU; an array of JAX's says no torch device."""
    devices = (getattr(leaf, "device", None) for leaf in leaves(given))
    types = (getattr(device, "type", "cpu") for device in devices)
    return device_in(next((each for each in types if each != "cpu"), "cpu"))


def _place(fn: Any, caller: str) -> tuple[str, int | None]:
    """The file whose lines the report speaks of, and the line where the program begins: that of
    the function; the caller's where that is a framework's own."""
    fn = inspect.unwrap(fn)
    called = inspect.unwrap(getattr(fn, "forward", fn))
    written = getattr(getattr(called, "__func__", called), "__code__", None)
    if written is None or _is_installed(written.co_filename):
        return caller, None
    return written.co_filename, written.co_firstlineno


def _is_installed(file: str) -> bool:
    return any(part in ("site-packages", "dist-packages") for part in Path(file).parts)
