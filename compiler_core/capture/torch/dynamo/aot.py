"""Private functions of AOTAutograd and autograd, each wrapped in a small function: a new release of
torch breaks one place. Of TorchDynamo itself: private.py."""

import contextlib
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from types import FrameType
from typing import Any

import torch

# Where AOTAutograd's own files are.
_AOT = "/torch/_functorch/_aot_autograd/"
# Where torch.func's transformations are.
_FUNCTIONAL = "/torch/_functorch/"
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
    which `partition` divides the joint graph. What a program writes into an input that needs no
    gradient, or without recording one, is at the end of the graph, a `copy_` for each input."""
    from torch._dynamo.backends.common import aot_autograd

    backend: Callable[[Any, Sequence[Any]], Any] = aot_autograd(
        fw_compiler=forward,
        bw_compiler=backward,
        inference_compiler=inference,
        partition_fn=partition,
        keep_inference_input_mutations=True,
    )
    return backend


def with_writes(module: Any) -> None:
    """Replaces, in an FX graph, the snippet's own operators that write to their arguments, which
    AOTAutograd has wrapped in a higher-order operation, by calls that write to copies."""
    from torch._higher_order_ops.auto_functionalize import auto_functionalized_v2

    if not module.graph.find_nodes(op="call_function", target=auto_functionalized_v2):
        return
    # Most of TorchInductor is imported with it, which takes seconds, and warns of torch's own code.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch._inductor.fx_passes.post_grad import decompose_auto_functionalized
    decompose_auto_functionalized(module.graph)
    module.recompile()


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


def is_dynamos(error: Exception) -> bool:
    """Whether `error` is one by which TorchDynamo says what it does not follow."""
    from torch._dynamo.exc import TorchDynamoException

    return isinstance(error, TorchDynamoException)


class Recorded:
    """`called`: whether a backward pass ran that is itself recorded, to be differentiated."""

    called = False


@contextlib.contextmanager
def recorded_gradients() -> Iterator[Recorded]:
    """Context that notices whether the snippet runs a backward pass with `create_graph=True`; what
    torch.func differentiates is followed by TorchDynamo and does not count."""
    heard, run = Recorded(), torch.autograd._engine_run_backward

    def listened(of: Any, gradients: Any, keep: bool, create: bool, *rest: Any, **by: Any) -> Any:
        callers = (frame.f_code.co_filename for frame, _ in islice(traceback.walk_stack(None), 8))
        heard.called |= create and not any(_FUNCTIONAL in file for file in callers)
        return run(of, gradients, keep, create, *rest, **by)

    torch.autograd._engine_run_backward = listened
    try:
        yield heard
    finally:
        torch.autograd._engine_run_backward = run


def records_gradients(inputs: Sequence[Any]) -> bool:
    """Whether a graph with these example inputs has a backward pass."""
    tensors = (x for x in inputs if isinstance(x, torch.Tensor))
    return torch.is_grad_enabled() and any(x.requires_grad for x in tensors)


def without_modes() -> contextlib.AbstractContextManager[Any]:
    """Context without dispatch modes: AOTAutograd calls its compilers under a mode in which tensors
    have no values."""
    from torch.utils._python_dispatch import _disable_current_modes

    modes: contextlib.AbstractContextManager[Any] = _disable_current_modes()
    return modes


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


def with_concrete_sizes(module: Any, args: Sequence[Any]) -> Any:
    """A graph with symbolic sizes, traced again with the sizes of `args`."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx import Interpreter
    from torch.fx.experimental.proxy_tensor import make_fx

    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        fakes = [mode.from_tensor(a) if isinstance(a, torch.Tensor) else a for a in args]
        return make_fx(Interpreter(module).run, tracing_mode="real")(*fakes)


def traced(fn: Callable[..., Any], args: Sequence[Any]) -> torch.fx.GraphModule:
    """The ATen operations that `fn` calls on tensors without values, below autograd, as a graph.
    Tensors with values that it closes over are attributes of it."""
    from torch.fx.experimental.proxy_tensor import make_fx

    module = make_fx(fn, tracing_mode="real", _allow_non_fake_inputs=True)(*args)
    assert isinstance(module, torch.fx.GraphModule)
    return module


def mark(stack: str) -> None:
    """Attributes the operations that `traced` recorded last to `stack`, the formatted stack of
    their call."""
    from torch.fx.experimental.proxy_tensor import get_proxy_mode

    tracing = get_proxy_mode()
    for node in reversed(tracing.tracer.graph.nodes if tracing else ()):
        if "stack_trace" in node.meta:
            return
        node.meta["stack_trace"] = stack
