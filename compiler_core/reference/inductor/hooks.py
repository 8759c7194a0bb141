"""Private functions of TorchInductor that a look records, each wrapped in a small function: a new
release of torch breaks one place (tests/compiler_core/reference/inductor/test_hooks.py).

Every hook replaces a function for the whole process and restores it; calls from other threads go to
the original.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any
from unittest import mock

import torch

from compiler_core.reference.fx_text import text_of
from compiler_core.reference.origins import origin_of

# Called with the original function and the arguments of a call; its result is the call's.
Around = Callable[..., Any]


@contextmanager
def around(owner: Any, name: str, hook: Around) -> Iterator[None]:
    """Context in which `hook(original, ...)` is called in place of `owner.name` by this thread."""
    original, thread = getattr(owner, name), threading.get_ident()

    def heard(*args: Any, **kwargs: Any) -> Any:
        if threading.get_ident() != thread:
            return original(*args, **kwargs)
        return hook(original, *args, **kwargs)

    with mock.patch.object(owner, name, heard):
        yield


# The groups of passes that Inductor runs on an FX graph, in order: their function in compile_fx.
PASSES = {
    "pre-grad passes": "_recursive_pre_grad_passes",
    "joint passes": "_recursive_joint_graph_passes",
    "post-grad passes": "_recursive_post_grad_passes",
}


LAST_PASSES = "post-grad passes"
# The beginning of the name of a phase that is a single pass.
SINGLE_PASS = "pass."


@contextmanager
def on_passes(
    began: Callable[[str, Any], None], ended: Callable[[str, Any], None]
) -> Iterator[None]:
    """Context in which `began` and `ended` are called with a pass group's name and the graph
    module, before and after it runs. Of nested graphs, only the outermost is reported."""
    from torch._inductor import compile_fx

    inside: set[str] = set()

    def hook(group: str, original: Any, module: Any, *args: Any, **kwargs: Any) -> Any:
        if group in inside:
            return original(module, *args, **kwargs)
        inside.add(group)
        try:
            began(group, module)
            result = original(module, *args, **kwargs)
            ended(group, module if result is None else result)
            return result
        finally:
            inside.discard(group)

    with ExitStack() as stack:
        for group, name in PASSES.items():
            bound = _bound(hook, group)
            stack.enter_context(around(compile_fx, name, bound))
        yield


def _bound(hook: Around, *first: Any) -> Around:
    return lambda *args, **kwargs: hook(*first, *args, **kwargs)


@contextmanager
def on_patterns(fired: Callable[[str, list[Any], list[Any]], None]) -> Iterator[None]:
    """Context in which `fired` is called for each pattern that is applied to a graph: with its
    name, the texts and origins of the nodes that matched, and the nodes that replaced them."""
    from torch._inductor import pattern_matcher as matcher

    def hook(original: Any, entry: Any, match: Any, graph: Any, node: Any) -> Any:
        matched = [(text_of(n), origin_of(n)) for n in match.nodes]
        before = {id(n) for n in graph.nodes}
        result = original(entry, match, graph, node)
        fired(_pattern_name(entry), matched, [n for n in graph.nodes if id(n) not in before])
        return result

    with ExitStack() as stack:
        for kind in ("ReplacementPatternEntry", "GraphPatternEntry", "LoweringPatternEntry"):
            stack.enter_context(around(getattr(matcher, kind), "apply", hook))
        yield


def _pattern_name(entry: Any) -> str:
    named = getattr(entry, "pattern_name", None) or getattr(entry, "handler", None)
    named = named or _searched(entry.extra_check)
    return str(getattr(named, "__name__", named or "pattern"))


def _searched(check: Any) -> Any:
    """The function whose trace a pattern is; None where that is not known."""
    names = getattr(getattr(check, "__code__", None), "co_freevars", ())
    cells = dict(zip(names, getattr(check, "__closure__", None) or (), strict=False))
    return cells["search_fn"].cell_contents if "search_fn" in cells else None


# Called with two scheduler nodes, a reason of Inductor's, and whether they were fused.
Decided = Callable[[Any, Any, str, bool], None]


@contextmanager
def on_fusion(decided: Decided) -> Iterator[None]:
    """Context in which `decided` is called for each pair of scheduler nodes, every time that it is
    considered. The CPU back end refuses without a reason; one is supplied here."""
    from torch._inductor import scheduler
    from torch._inductor.codegen.cpp import CppScheduling

    pairs: dict[int, tuple[Any, Any]] = {}  # of the object that says why not, which knows names

    def met(original: Any, why: Any, first: Any, second: Any) -> None:
        original(why, first, second)
        pairs[id(why)] = first, second

    def refused(original: Any, why: Any, reason: str, *args: Any) -> None:
        original(why, reason, *args)
        decided(*pairs[id(why)], reason % args, False)

    def fused(original: Any, self: Any, first: Any, second: Any, *args: Any) -> Any:
        result = original(self, first, second, *args)
        decided(first, second, "", True)
        return result

    def asked(original: Any, self: Any, first: Any, second: Any) -> Any:
        answer = original(self, first, second)
        if not answer:
            decided(first, second, _of_ranges(first, second), False)
        return answer

    with ExitStack() as stack:
        stack.enter_context(around(scheduler.WhyNoFuse, "__init__", met))
        stack.enter_context(around(scheduler.WhyNoFuse, "__call__", refused))
        stack.enter_context(around(scheduler.Scheduler, "fuse_two_nodes", fused))
        for name in ("can_fuse_vertical", "can_fuse_horizontal"):
            stack.enter_context(around(CppScheduling, name, asked))
        yield


CPU_SAYS_NO = "the C++ back end does not put these loops together"


def _of_ranges(first: Any, second: Any) -> str:
    return f"{CPU_SAYS_NO}: {first.group[1]} and {second.group[1]}"


@contextmanager
def on_schedule(before: Callable[[Any], None], after: Callable[[Any], None]) -> Iterator[None]:
    """Context in which `before` and `after` are called with the scheduler, when it has all nodes
    and when it has fused them."""
    from torch._inductor import scheduler

    def hook(original: Any, self: Any, nodes: Any) -> Any:
        self.nodes = nodes
        before(self)
        fused = original(self, nodes)
        self.nodes = fused
        after(self)
        return fused

    with around(scheduler.Scheduler, "fuse_nodes", hook):
        yield


@contextmanager
def on_kernels(defined: Callable[[str, list[Any]], None]) -> Iterator[None]:
    """Context in which `defined` is called with the name of each generated kernel and the scheduler
    nodes in it."""
    from torch._inductor.codegen.cpp import CppScheduling
    from torch._inductor.codegen.triton import TritonScheduling

    def hook(original: Any, self: Any, code: Any, nodes: Any, *args: Any, **kwargs: Any) -> Any:
        name = original(self, code, nodes, *args, **kwargs)
        # Between nodes, Triton's list has marks that are none.
        defined(str(name), [n for n in nodes if hasattr(n, "get_name")])
        return name

    with (
        around(CppScheduling, "define_kernel", hook),
        around(TritonScheduling, "define_kernel", hook),
    ):
        yield


@contextmanager
def on_phases(
    began: Callable[[str, int], None], ended: Callable[[str, int], None]
) -> Iterator[None]:
    """Context in which `began` and `ended` are called for each phase that torch times, with its
    name and the time in nanoseconds."""
    from torch._dynamo.utils import ChromiumEventLogger

    def begin(original: Any, self: Any, name: str, time_ns: int, *args: Any, **kw: Any) -> Any:
        began(name, time_ns)
        return original(self, name, time_ns, *args, **kw)

    def end(original: Any, self: Any, name: str, time_ns: int, *args: Any, **kw: Any) -> Any:
        ended(name, time_ns)
        return original(self, name, time_ns, *args, **kw)

    with (
        around(ChromiumEventLogger, "log_event_start", begin),
        around(ChromiumEventLogger, "log_event_end", end),
    ):
        yield


def cudagraphs_refused(compiled: Any) -> tuple[str, ...]:
    """Why a compiled graph is not replayed as a CUDA graph; empty if it is, or if that was not
    requested."""
    lowering = getattr(compiled, "disabled_cudagraphs_reason", None)
    info = getattr(compiled, "cudagraph_info", None)
    later = info.cudagraph_fail_reasons if info is not None else ()
    reasons = (lowering, *later, _written_to(compiled))
    return tuple(reason.strip() for reason in reasons if reason)


def _written_to(compiled: Any) -> str:
    """What torch says at the first call of a graph that writes into its inputs, "" of another:
    parameters have one address for good."""
    from torch._inductor import cudagraph_utils

    info = getattr(compiled, "cudagraph_info", None)
    fixed = (getattr(compiled, "fx_kwargs", None) or {}).get("static_input_idxs") or ()
    written = [at for at in getattr(compiled, "mutated_input_idxs", ()) if at not in fixed]
    if info is None or not written:
        return ""
    return str(cudagraph_utils.get_mutation_stack_trace(info.placeholders, written))


@contextmanager
def on_choices(timed: Callable[[str, list[Any], dict[Any, float], Any], None]) -> Iterator[None]:
    """Context in which `timed` is called for each operation whose candidates Inductor has run: with
    its name, the nodes that it reads, the milliseconds of each candidate (infinite of one that
    failed), and the node of the graph that is being lowered."""
    from torch._inductor import select_algorithm
    from torch._inductor.virtualized import V

    def saved(timings: dict[Any, float], name: str, reads: list[Any], *more: Any) -> None:
        timed(name, reads, timings, getattr(V.graph, "current_node", None))

    select_algorithm.add_feedback_saver(saved)
    try:
        yield
    finally:
        select_algorithm.clear_feedback_savers()


def copy_of(module: Any) -> Any:
    """A graph module with a graph of its own, and the same weights."""
    graph = torch.fx.Graph()
    graph.output(graph.graph_copy(module.graph, {}))
    return torch.fx.GraphModule(module, graph)


def on_modules(loaded: Callable[[Any], None]) -> AbstractContextManager[None]:
    """Context in which `loaded` is told each module that Inductor writes and loads."""
    from torch._inductor.graph import GraphLowering

    def hook(original: Any, graph: Any) -> Any:
        module = original(graph)
        loaded(module)
        return module

    return around(GraphLowering, "_compile_to_module", hook)


def generated_kernels(module: Any) -> list[str]:
    """The names of the kernels for a CPU in a module that Inductor has written."""
    return [name for name, x in vars(module).items() if name.startswith("cpp_") and callable(x)]
