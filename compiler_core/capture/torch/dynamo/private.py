"""Private and unstable functions of TorchDynamo, each wrapped in a small function: a new release of
torch breaks one place. Of AOTAutograd: aot.py."""

import contextlib
import inspect
import logging
import sys
from collections.abc import Callable, Iterator, Set
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import torch

from compiler_core.capture.torch.dynamo import backward
from compiler_core.snippet.source import is_own

# Packages of torch whose functions take functions.
_TAKING_FUNCTIONS = ("torch._higher_order_ops.", "torch.nn.attention.")


def break_reasons() -> list[Any]:
    """The graph breaks since the last `forget`: objects with `reason` and `user_stack`."""
    from torch._dynamo.utils import graph_break_reasons

    return list(graph_break_reasons)


def skipped_frames() -> list[Any]:
    """The functions since the last `forget` (torch keeps the last 64 that it met) that Dynamo gave
    up and left to Python: objects with `co_filename`, `co_firstlineno`, `fail_reason`,
    `fail_user_frame_filename` and `fail_user_frame_lineno`."""
    from torch._dynamo.utils import get_compilation_metrics

    return [each for each in get_compilation_metrics() if each.fail_type is not None]


def raised_in_backend(error: Exception) -> Exception:
    """What a back end of torch.compile raised, where Dynamo has put its own error around it; else
    `error` itself."""
    inner = getattr(error, "inner_exception", None)
    return inner if isinstance(inner, Exception) else error


def forget() -> None:
    """Clears Dynamo's compiled code, its caches and its records."""
    from torch._dynamo.utils import clear_compilation_metrics, graph_break_reasons

    torch.compiler.reset()
    graph_break_reasons.clear()
    clear_compilation_metrics()
    _forget_modules()


def _forget_modules() -> None:
    """Dynamo keeps modules by their names, also in the globals of functions that call into them: of
    two snippets each is `__main__`."""
    from torch._dynamo import symbolic_convert

    symbolic_convert._import_module.cache_clear()
    # Functions of these compile what the snippet has given them.
    operators = [m for n, m in sys.modules.items() if n.startswith(_TAKING_FUNCTIONS)]
    for module in (backward, *operators):
        for name in [n for n in vars(module) if n.startswith("__import_")]:
            delattr(module, name)


@contextlib.contextmanager
def on_bytecode(hook: Callable[[CodeType, CodeType], CodeType | None]) -> Iterator[None]:
    """Context in which Dynamo calls `hook` with each function's code as it found it and as it
    rewrote it; `hook` may return other code to use instead."""
    from torch._dynamo.convert_frame import register_bytecode_hook

    handle = register_bytecode_hook(hook)
    try:
        yield
    finally:
        handle.remove()


def disallowed() -> Set[int]:
    """The identities of the functions that torch._dynamo.disallow_in_graph was given."""
    rules = sys.modules.get("torch._dynamo.trace_rules")
    return frozenset() if rules is None else frozenset(rules._disallowed_callable_ids())


def recurrent() -> contextlib.AbstractContextManager[None]:
    """Context in which Dynamo follows nn.RNN, nn.GRU and nn.LSTM into the graph. By default it
    leaves them, and what calls them, to Python."""
    return _switched("allow_rnn")


def numpy_draws() -> contextlib.AbstractContextManager[None]:
    """Context in which Dynamo leaves NumPy's random numbers to NumPy. By default it takes torch's
    instead, so that a seed of NumPy's says nothing of a compiled program."""
    return _switched("use_numpy_random_stream")


@contextlib.contextmanager
def python_draws() -> Iterator[None]:
    """Context in which Dynamo leaves random numbers of Python's `random` to Python. By default it
    draws from a copy of a `random.Random` while it traces, so that the second number of a compiled
    program is not Python's, and ints become tensors, which cannot be used to slice."""
    from torch._dynamo.variables import RandomVariable, UserDefinedObjectVariable

    with (
        _replaced(RandomVariable, "is_supported_random_obj", staticmethod(lambda _: False)),
        _replaced(UserDefinedObjectVariable, "is_supported_random", lambda _: False),
    ):
        yield


@contextlib.contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = vars(owner)[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextlib.contextmanager
def untimed_guards() -> Iterator[None]:
    """Context in which Dynamo does not time the guards of the functions that it compiles, for a
    metric that nothing here reads. By default it empties the processor's caches for that, which
    takes 25 ms for each function."""
    from torch._dynamo import guards

    with _replaced(guards, "profile_guard_manager", lambda *_: 0.0):
        yield


# The beginning of Dynamo's name of the rest of a function after a graph break.
_REST = "torch_dynamo_resume_in_"


@contextlib.contextmanager
def numbers_vary(seen: dict[tuple[CodeType, str], float]) -> Iterator[None]:
    """Context in which a Python float becomes an input of the graph if it differs from its value
    when the function was compiled before, and so does an int that is passed to the rest of a
    function after a graph break. By default each value is compiled for, so that a number that is
    drawn at every call means a compilation at every call. `seen` collects the first values."""
    from torch._dynamo.variables.builder import VariableBuilder

    floats, wholes = VariableBuilder.wrap_symfloat, VariableBuilder.wrap_symint

    def varies(builder: Any, value: float) -> Any:
        other = seen.setdefault((builder.tx.f_code, builder.name), value) != value
        return _switched("assume_static_by_default", False) if other else contextlib.nullcontext()

    def wrap_float(builder: Any, value: float) -> Any:
        with varies(builder, value):
            return floats(builder, value)

    def wrap_whole(builder: Any, value: int, *args: Any, **kwargs: Any) -> Any:
        is_rest = builder.tx.f_code.co_name.startswith(_REST)
        with varies(builder, value) if is_rest else contextlib.nullcontext():
            return wholes(builder, value, *args, **kwargs)

    with (
        _replaced(VariableBuilder, "wrap_symfloat", wrap_float),
        _replaced(VariableBuilder, "wrap_symint", wrap_whole),
    ):
        yield


@contextlib.contextmanager
def compiling(context: Callable[[], contextlib.AbstractContextManager[object]]) -> Iterator[None]:
    """Context in which Dynamo compiles within `context()`, which is entered only when Dynamo begins
    to compile: calls of what was compiled before do not pay for it."""
    handler = torch._dynamo.callback_handler
    failed: list[BaseException] = []
    with contextlib.ExitStack() as entered:

        def leave(_: object) -> None:
            # Dynamo would count a compilation whose end fails as one that goes on for ever, and
            # refuse to be reset.
            try:
                entered.pop_all().close()
            except BaseException as error:
                failed.append(error)

        callbacks = (
            (handler.start_callbacks, lambda _: entered.enter_context(context())),
            (handler.end_callbacks, leave),
        )
        for registered, callback in callbacks:
            registered.append(callback)
        try:
            yield
        finally:
            for registered, callback in callbacks:
                if callback in registered:  # a reset removes all of them
                    registered.remove(callback)
    for error in failed:
        raise error


@contextlib.contextmanager
def values_in_python() -> Iterator[None]:
    """Context in which a graph ends where Python asks for a tensor's value, or a size depends on
    values, whatever the snippet has set: otherwise the graph would go on with numbers and sizes
    that are known only from values."""
    with (
        _switched("capture_scalar_outputs", to=False),
        _switched("capture_dynamic_output_shape_ops", to=False),
    ):
        yield


@contextlib.contextmanager
def _switched(option: str, to: bool = True) -> Iterator[None]:
    # torch's own context for this makes a class whenever it is entered.
    config = torch._dynamo.config
    before = getattr(config, option)
    setattr(config, option, to)
    try:
        yield
    finally:
        setattr(config, option, before)


def called_within(context: Callable[[], Any], backend: Any) -> None:
    """Makes torch.compile call whatever it has compiled for `backend` within `context()`. torch
    asks a back end for such a context, but not through the wrappers that torch.compile puts around
    it."""
    from torch._dynamo.eval_frame import innermost_backend
    from torch._dynamo.repro.after_dynamo import WrapBackendDebug

    def asked(wrapper: Any) -> Any:
        own: Any = innermost_backend(wrapper)
        own = getattr(own, "compiler_fn", own)
        return getattr(own, "backend_ctx_ctor", contextlib.nullcontext)

    backend.backend_ctx_ctor = context
    WrapBackendDebug.backend_ctx_ctor = property(asked)


class _Limits(logging.Filter):
    """Hears what Dynamo logs of a function that it compiles no more."""

    def __init__(self, met: Callable[[str, int], bool]) -> None:
        super().__init__()
        self._met = met

    def filter(self, record: logging.LogRecord) -> bool:
        if not str(record.msg).startswith("torch._dynamo hit config") or not record.args:
            return True
        _, times, function, *_ = map(str, record.args)
        return not self._met(function, int(times))


def on_limit(met: Callable[[str, int], bool]) -> None:
    """From here on, until the next call, `met` is called where Dynamo has compiled a function too
    often, with `'its name' (its file:its line)` and the number of times. If it returns True, torch
    does not log it."""
    logger = logging.getLogger("torch._dynamo.convert_frame")
    for old in [f for f in logger.filters if isinstance(f, _Limits)]:
        logger.removeFilter(old)
    logger.addFilter(_Limits(met))


def dynamic_of(compiled: Any) -> bool | None:
    """The option `dynamic` of a callable that torch.compile returned; None for anything else."""
    called = getattr(compiled, "_compiled_call_impl", None) or compiled
    context = getattr(compiled, "dynamo_ctx", None)
    if context is None and isinstance(called, FunctionType):
        context = inspect.getclosurevars(called).nonlocals.get("self")
    found: bool | None = getattr(context, "_dynamic", None)
    return found


def source_name(placeholder: Any) -> str:
    """Dynamo's name of an input of its graph, such as `L['x']`; "" if it has none."""
    return name_of(getattr(placeholder.meta.get("grapharg"), "source", None))


def name_of(source: Any) -> str:
    """Dynamo's name of where a value comes from, such as `L['x']`; "" of none."""
    name = getattr(source, "name", "")
    return str(name() if callable(name) else name)


def part_of(module: Any) -> str:
    """The function of torch itself that a graph was traced from, after its file, such as
    "adam.step"; "" for the snippet's own code."""
    reason = getattr(module, "compile_subgraph_reason", None)
    frames = list(getattr(reason, "user_stack", None) or ())
    # The backward pass of a snippet's own is called by backward.py beside this file.
    ours = Path(__file__).with_name("backward.py")
    if not frames or any(is_own(f.filename) or Path(f.filename) == ours for f in frames):
        return ""
    return f"{Path(frames[0].filename).stem}.{frames[0].name}"
