"""TensorFlow: runs a snippet, and returns for each `tf.function(jit_compile=True)` that it calls
the module that XLA is given, its inputs and outputs, and the snippet's line of each operation."""

import contextlib
import inspect
import io
import linecache
import os
import sys
import traceback
from pathlib import Path
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf
from tensorflow.python.autograph.core import ag_ctx
from tensorflow.python.autograph.impl import api
from tensorflow.python.eager.polymorphic_function import polymorphic_function
from tensorflow.python.framework import func_graph

# The name by which tracebacks call the snippet.
_FILE = "<snippet>"
_STAGES = ("stablehlo", "hlo", "optimized_hlo")
_PRINTED = 60_000


class Compiler:
    """Runs one snippet."""

    def compile(self, text: str, dump: str) -> dict[str, Any]:
        """Runs the snippet in the file `text`; writes arrays and modules into the new folder
        `dump`. Returns the calls, what the snippet printed, and the exception that it raised."""
        os.mkdir(dump)
        source, printed = Path(text).read_text(), io.StringIO()
        with contextlib.redirect_stdout(printed), _calls() as calls:
            raised = _run(source)
        programs = [] if raised else [_program(c, f"{dump}/{i}") for i, c in enumerate(calls)]
        output = printed.getvalue()[:_PRINTED]
        version = tf.__version__
        return {"programs": programs, "raised": raised, "printed": output, "version": version}


def _run(source: str) -> dict[str, Any] | None:
    """The exception that the snippet raises, with its line; None if it raises none."""
    linecache.cache[_FILE] = (len(source), None, source.splitlines(keepends=True), _FILE)
    try:
        exec(compile(source, _FILE, "exec"), {"__name__": "__main__"})
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)
        line = next((f.lineno for f in reversed(frames) if f.filename == _FILE), None)
        line = line or getattr(error, "lineno", None)
        first = next(iter(str(error).splitlines()), "")
        return {"message": f"{type(error).__name__}: {first}"[:500], "line": line}
    return None


@contextlib.contextmanager
def _calls() -> Any:
    """The first call of each compiled function from outside of others, in order: the function, its
    arguments, its result."""
    found: dict[int, tuple[Any, ...]] = {}
    kind, original = polymorphic_function.Function, polymorphic_function.Function.__call__

    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        outside = not tf.inside_function()
        result = original(self, *args, **kwargs)
        if self._jit_compile and outside:
            found.setdefault(id(self), (self, args, kwargs, result))
        return result

    kind.__call__ = called
    calls: list[tuple[Any, ...]] = []
    try:
        yield calls
    finally:
        kind.__call__ = original
        calls.extend(found.values())


def _program(call: tuple[Any, ...], base: str) -> dict[str, Any]:
    """One call: writes its modules, inputs and outputs to files that begin with `base`. Variables
    have the values that they have after the snippet."""
    function, args, kwargs, result = call
    args, kwargs = _with_defaults(function, args, kwargs)
    texts = function.experimental_get_compiler_ir(*args, **kwargs)
    for stage in _STAGES:
        Path(f"{base}.{stage}.txt").write_text(str(texts(stage=stage)))
    concrete = function.get_concrete_function(*args, **kwargs)
    _write(f"{base}.inputs.npz", [*_given(args, kwargs), *_closed_over(concrete)])
    _write(f"{base}.outputs.npz", [x.numpy() for x in tf.nest.flatten(result)])
    code = function.python_function.__code__
    name = function.python_function.__name__
    lines = _lines(function, args, kwargs)
    return {"name": name, "line": code.co_firstlineno, "lines": lines, "base": base}


def _with_defaults(function: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments with the defaults of parameters, which experimental_get_compiler_ir does not
    bind."""
    try:
        bound = inspect.signature(function.python_function).bind(*args, **kwargs)
    except TypeError:  # a method's, whose object TensorFlow adds
        return args, kwargs
    bound.apply_defaults()
    return bound.args, bound.kwargs


def _given(args: Any, kwargs: Any) -> list[Any]:
    """The tensors among the arguments; Python numbers are constants of the program."""
    leaves = tf.nest.flatten((args, kwargs))
    return [tf.convert_to_tensor(x).numpy() for x in leaves if hasattr(x, "shape")]


def _closed_over(concrete: Any) -> list[Any]:
    """The values of tensors, then of variables, that the program closes over, in XLA's order."""
    variables = {id(v.handle): v for v in concrete.graph.variables}
    captured = list(concrete.captured_inputs)
    tensors = [x.numpy() for x in captured if id(x) not in variables]
    return tensors + [variables[id(x)].numpy() for x in captured if id(x) in variables]


def _lines(function: Any, args: Any, kwargs: Any) -> dict[str, int]:
    """The snippet's line of each operation by its name: traced once more, for the graph that is
    compiled has no stacks."""
    body = function.python_function
    if function._autograph:
        body = api.tf_convert(body, ag_ctx.ControlStatusCtx(ag_ctx.Status.ENABLED))
    try:
        graph = func_graph.func_graph_from_py_func("lines", body, args, kwargs)
    except Exception:  # a function that can be traced once: it makes variables of its own
        return {}
    found = {}
    for op in graph.get_operations():
        own = [frame.lineno for frame in op.traceback or () if frame.filename == _FILE]
        if own:
            found[op.name] = own[-1]
    return found


def _write(file: str, arrays: list[Any]) -> None:
    sys.modules["__main__"].write(file, arrays)  # serve.py's
