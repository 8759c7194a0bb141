"""Private and unstable functions of torch, each wrapped in a small function: a new release of torch
breaks one place."""

import contextlib
import inspect
import logging
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence, Set
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import torch

from compiler_core.capture.torch.dynamo import backward
from compiler_core.snippet.source import is_own

# Packages of torch's whose functions are given functions.
_TAKING_FUNCTIONS = ("torch._higher_order_ops.", "torch.nn.attention.")

# Where AOTAutograd's own files are.
_AOT = "/torch/_functorch/_aot_autograd/"
Boxed = Callable[[list[Any]], list[Any]]
Compiler = Callable[[Any, Sequence[Any]], Boxed]
Partition = Callable[..., tuple[Any, Any]]


def boxed(run: Callable[[list[Any]], list[Any]]) -> Boxed:
    """`run` by AOTAutograd's boxed calling convention: it takes one list, which it may clear to
    free the tensors in it early."""

    def call(args: list[Any]) -> list[Any]:
        return run(args)

    boxed: Any = call
    boxed._boxed_call = True
    return call


def aot_backend(
    forward: Compiler, backward: Compiler, inference: Compiler, partition: Partition
) -> Callable[[Any, Sequence[Any]], Any]:
    """A back end of torch.compile by AOTAutograd. Each compiler is called with a functional graph
    of ATen operations: `inference` where no gradient is needed, else `forward` and `backward`, into
    which `partition` divides the joint graph."""
    from torch._dynamo.backends.common import aot_autograd

    backend: Callable[[Any, Sequence[Any]], Any] = aot_autograd(
        fw_compiler=forward,
        bw_compiler=backward,
        inference_compiler=inference,
        partition_fn=partition,
    )
    return backend


def without_modes() -> contextlib.AbstractContextManager[Any]:
    """Context without dispatch modes: AOTAutograd calls its compilers under a mode in which tensors
    have no values."""
    from torch.utils._python_dispatch import _disable_current_modes

    modes: contextlib.AbstractContextManager[Any] = _disable_current_modes()
    return modes


def with_writes(module: Any) -> None:
    """Replaces the snippet's own operators that write to their arguments by calls that write to
    copies; AOTAutograd has wrapped them in one operation that takes the operator."""
    from torch._higher_order_ops.auto_functionalize import auto_functionalized_v2

    if not module.graph.find_nodes(op="call_function", target=auto_functionalized_v2):
        return
    # Most of TorchInductor is imported with it, which takes seconds, and warns of torch's own code.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch._inductor.fx_passes.post_grad import decompose_auto_functionalized
    decompose_auto_functionalized(module.graph)
    module.recompile()


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


def in_graph(frame: FrameType | None) -> bool:
    """Whether a frame runs for a graph of AOTAutograd, or for the code that AOTAutograd puts around
    one."""
    while frame is not None:
        if _AOT in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def sums_gradients() -> bool:
    """Whether autograd itself is running between the operations' own backward functions: it
    accumulates gradients, or creates the one that a backward pass begins with."""
    if torch._C._current_graph_task_id() == -1:
        nearest = islice(traceback.walk_stack(None), 8)
        return any(frame.f_code.co_name == "_make_grads" for frame, _ in nearest)
    node = torch._C._current_autograd_node()
    return node is None or node.name().endswith("AccumulateGrad")


def is_double_backward(error: Exception) -> bool:
    """Whether `error` was raised because a backward pass of AOTAutograd's was differentiated, in a
    program that torch runs: AOTAutograd says so, or autograd finds no way back through the pass, or
    records what it writes."""
    frames = (frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__))
    entries = (torch.autograd.grad, torch.autograd.backward)
    return any(code in [f.__code__ for f in entries] for code in frames)


def records_gradients(inputs: Sequence[Any]) -> bool:
    """Whether a graph of these example inputs has a backward pass."""
    tensors = (x for x in inputs if isinstance(x, torch.Tensor))
    return torch.is_grad_enabled() and any(x.requires_grad for x in tensors)


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


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Context in which Dynamo does not log: graph breaks and errors are in the report."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        yield
    finally:
        logging.disable(before)


def disallowed() -> Set[int]:
    """The identities of the functions that torch._dynamo.disallow_in_graph was given."""
    rules = sys.modules.get("torch._dynamo.trace_rules")
    return frozenset() if rules is None else frozenset(rules._disallowed_callable_ids())


@contextlib.contextmanager
def recurrent() -> Iterator[None]:
    """Context in which Dynamo follows nn.RNN, nn.GRU and nn.LSTM into the graph. By default it
    leaves them, and what calls them, to Python."""
    # torch's own context for this makes a class whenever it is entered.
    config = torch._dynamo.config
    before, config.allow_rnn = config.allow_rnn, True
    try:
        yield
    finally:
        config.allow_rnn = before


def called_within(context: Callable[[], Any], backend: Any) -> None:
    """Whatever torch.compile makes for `backend` from here on is called in that context. torch asks
    a back end for one, but not through what torch.compile has wrapped it in."""
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
    argument = placeholder.meta.get("grapharg")
    name = getattr(getattr(argument, "source", None), "name", "")
    return str(name() if callable(name) else name)


def input_of(placeholder: Any) -> int | str | None:
    """The input of Dynamo's graph that an input of AOTAutograd's graph is: its number, or the name
    of an attribute. None for saved values and gradients, and where torch does not say."""
    description = placeholder.meta.get("desc")
    number = getattr(description, "idx", None)
    target = getattr(description, "target", None)
    return number if isinstance(number, int) else target


def is_gradient(placeholder: Any) -> bool:
    """Whether an input of a backward graph is the gradient of a result."""
    return str(placeholder.target).startswith("tangents")


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


def with_concrete_sizes(module: Any, args: Sequence[Any]) -> Any:
    """A graph with symbolic sizes, traced again with the sizes of `args`."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx import Interpreter
    from torch.fx.experimental.proxy_tensor import make_fx

    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        fakes = [mode.from_tensor(a) if isinstance(a, torch.Tensor) else a for a in args]
        return make_fx(Interpreter(module).run, tracing_mode="real")(*fakes)
