"""Private functions of TorchDynamo, each wrapped in a small function: a new release of torch breaks
one place. More of them: compiler_core/capture/torch/dynamo/private.py."""

import contextlib
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any, NamedTuple
from unittest import mock

import torch


def compile_id() -> str:
    """The id of the compilation under way, as in Dynamo's logs: "0/1" is the second compilation of
    the first function; "" if there is none."""
    from torch._guards import CompileContext

    found = CompileContext.current_compile_id()
    return "" if found is None else str(found)


@contextlib.contextmanager
def on_break(met: Callable[[Any, str, Any], None]) -> Iterator[None]:
    """Context in which `met` is called for each graph break, once for each function that it ends:
    with the exception (an Unsupported with `gb_type`, or an error of the user's), its whole
    message, and the user's stack as FrameSummaries, outermost first."""
    from torch._dynamo.symbolic_convert import InstructionTranslatorBase

    real = InstructionTranslatorBase.log_graph_break

    def log(self: Any, code_options: Any, reason: str, exc: Any) -> None:
        if not exc.logged:
            met(exc, reason, stack_of(exc))
        real(self, code_options, reason, exc)

    with mock.patch.object(InstructionTranslatorBase, "log_graph_break", log):
        yield


def stack_of(error: Any) -> list[Any]:
    """The user's stack where Dynamo raised `error`, as FrameSummaries, outermost first."""
    stack = getattr(error, "real_stack", None)
    return list(torch._guards.TracingContext.extract_stack() if stack is None else stack)


def category(error: Any) -> str:
    """Dynamo's name of a graph break's kind (torch._dynamo.graph_break_registry), or the
    exception's type if it has none."""
    return getattr(error, "gb_type", None) or type(error).__name__


def is_dynamos(error: BaseException) -> bool:
    """Whether Dynamo itself raised `error` because it cannot follow the program."""
    from torch._dynamo.exc import FailOnRecompileLimitHit, TorchDynamoException
    from torch.fx.experimental.symbolic_shapes import ConstraintViolationError

    own = TorchDynamoException | ConstraintViolationError | FailOnRecompileLimitHit
    return isinstance(error, own)


def compile_times() -> dict[str, float]:
    """Milliseconds of each compilation since the last `forget`, by its id; torch keeps the last
    64."""
    from torch._dynamo.utils import get_compilation_metrics

    return {str(m.compile_id): (m.duration_us or 0) / 1e3 for m in get_compilation_metrics()}


def guards_of(code: CodeType) -> dict[str, list[tuple[str, list[str]]]]:
    """The guards of a function's compiled code, by the id of the compilation: each guard's kind,
    and its conditions with the user's lines."""
    from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list

    found = {}
    for entry in _debug_get_cache_entry_list(code):
        root = getattr(entry.guard_manager, "root", None)
        if root is not None:
            shapes = [("SIZES", g.verbose_code_parts()) for g in root.get_epilogue_lambda_guards()]
            found[str(entry.compile_id)] = [*_leaves(root), *shapes]
    return found


def _leaves(manager: Any) -> Iterator[tuple[str, list[str]]]:
    for guard in manager.get_leaf_guards():
        yield type(guard).__name__, guard.verbose_code_parts()
    for child in manager.get_child_managers():
        yield from _leaves(child)


@contextlib.contextmanager
def on_guard(met: Callable[[Sequence[str], Sequence[Any], Any], None]) -> Iterator[None]:
    """Context in which `met` is called for each guard that is made: with its texts, the user's
    stack as FrameSummaries, outermost first, and the object that it is on, which is None where
    Dynamo holds no weak reference to it."""
    from torch._dynamo import guards

    real = guards.get_verbose_code_parts

    def parts(code: Any, guard: Any, *rest: Any, **options: Any) -> list[str]:
        found: list[str] = real(code, guard, *rest, **options)
        reference = getattr(guard, "obj_weakref", None)
        of = reference() if isinstance(reference, weakref.ref) else None
        met(found, getattr(guard, "user_stack", None) or (), of)
        return found

    with mock.patch.object(guards, "get_verbose_code_parts", parts):
        yield


class Reason(NamedTuple):
    """Why an earlier compilation does not serve a call: the text of its first guard that failed,
    the number of its guards that fail, and the text of its guard on torch's settings, "" if it has
    none."""

    text: str
    failing: int
    settings: str


@contextlib.contextmanager
def on_recompile(met: Callable[[Sequence[Reason], Any], None]) -> Iterator[None]:
    """Context in which `met` is called before each recompilation: with the reason for each earlier
    compilation, the latest first; and with the function's frame (`f_code`, `f_locals`,
    `f_globals`)."""
    from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list
    from torch._dynamo import convert_frame

    name = "get_and_maybe_log_recompilation_reasons"
    real = getattr(convert_frame, name)

    def reasons(entries: Any, frame: Any, *rest: Any, **options: Any) -> Any:
        found = real(entries, frame, *rest, **options)
        # As a list in each version: `entries` was the latest one, which knows the one before.
        known = _debug_get_cache_entry_list(frame.f_code)
        by_id = {str(e.compile_id): e.guard_manager for e in known}
        of = [(each, by_id.get(each.partition(":")[0])) for each in found]
        met([Reason(text, _failing(m, frame), _settings(m)) for text, m in of], frame)
        return found

    with mock.patch.object(convert_frame, name, reasons):
        yield


def settings() -> str:
    """torch's settings as a guard of them has them."""
    return str(torch._C._dynamo.guards.GlobalStateGuard().__getstate__())


def _settings(manager: Any) -> str:
    root = getattr(manager, "root", None)
    leaves = root.get_leaf_guards() if root is not None else ()
    texts = (g.verbose_code_parts() for g in leaves if type(g).__name__ == "GLOBAL_STATE")
    return next((parts[0] for parts in texts if parts), "")


# More guards than any function has.
_ALL = 1_000_000


def _failing(manager: Any, frame: Any) -> int:
    """How many guards of one compilation do not hold for a frame: Dynamo itself stops at the first.
    Those whose value cannot be looked up are not counted."""
    root = getattr(manager, "root", None)
    if root is None or not manager.closure_vars:  # what it was compiled for is gone
        return _ALL
    scope = {**manager.closure_vars, "G": manager.global_scope["G"], "L": frame.f_locals}
    return sum(not _holds(leaf, source, scope) for leaf, source in _checks(root))


def _checks(manager: Any) -> Iterator[tuple[Any, str]]:
    """Each guard, with the expression of what it looks at."""
    for leaf in manager.get_leaf_guards():
        yield leaf, manager.get_source()
    for child in manager.get_child_managers():
        yield from _checks(child)
    for leaf in getattr(manager, "get_epilogue_lambda_guards", list)():
        yield leaf, "L"


def _holds(leaf: Any, source: str, scope: dict[str, Any]) -> bool:
    try:
        return bool(leaf(eval(source or "L", scope)))
    except Exception:  # of one that compares several values, and of a value that is gone
        return True


def symbols() -> list["Symbol"]:
    """The sizes and numbers that are symbols in the graph being compiled; to be called from a back
    end."""
    found = torch._guards.TracingContext.get().fake_mode
    env = None if found is None else found.shape_env
    if env is None:
        return []
    hints = env.backed_var_to_val
    return [_symbol(env, symbol, hints.get(symbol)) for symbol in env.var_to_range]


def _symbol(env: Any, symbol: Any, hint: Any) -> "Symbol":
    span, now = env.var_to_range[symbol], env.replacements.get(symbol)
    sources = [s.name() if callable(s.name) else s.name for s in env.var_to_sources.get(symbol, ())]
    guards = [g for g in env.guards if symbol in g.expr.free_symbols]
    return Symbol(
        str(symbol), None if hint is None else str(hint), str(span.lower), str(span.upper),
        sources, "" if now is None else str(now), [(str(g.expr), str(g.sloc)) for g in guards],
    )  # fmt: skip


@dataclass(frozen=True)
class Symbol:
    """A size or number that is a symbol: its value in the compiled call, the range that remains of
    it, its sources, what it was replaced by if anything, and the conditions that narrowed it, each
    with the user's place."""

    name: str
    hint: str | None
    lower: str
    upper: str
    sources: list[str]
    replaced: str
    narrowed: list[tuple[str, str]]


def marked(tensor: torch.Tensor) -> dict[int, str]:
    """The dimensions of a tensor that are marked as varying, each with the function that marked
    it."""
    marks = {"_dynamo_weak_dynamic_indices": "maybe_mark_dynamic",
             "_dynamo_dynamic_indices": "mark_dynamic"}  # fmt: skip
    return {d: by for name, by in marks.items() for d in getattr(tensor, name, ())}


def is_around(code: CodeType) -> bool:
    """Whether code belongs to the function that torch.compile puts around a callable of torch's
    own, such as an nn.Sequential, with which Dynamo does not begin."""
    from torch._dynamo.external_utils import wrap_inline

    return code in wrap_inline.__code__.co_consts


def recompile_limit() -> int:
    """How many times Dynamo compiles a function before it leaves it to Python."""
    return int(torch._dynamo.config.recompile_limit)


@contextlib.contextmanager
def fresh_sizes() -> Iterator[None]:
    """Context in which Dynamo has no record of sizes; it makes symbols of those that change between
    calls of the function at a place."""
    from torch._dynamo import pgo

    with mock.patch.multiple(pgo, _CODE_STATE=None, _INIT_CODE_STATE=None):
        yield
