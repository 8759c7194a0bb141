"""Where a program transfers tensors' values to the host: torch's calls, recorded while torch runs
the program once, and JAX's callbacks, as captured."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from compiler_core.backends.registry import kind
from compiler_core.pipeline.context import Compilation
from compiler_core.pipeline.traffic import bytes_moved
from compiler_core.remedy.arrays import counterpart
from compiler_core.remedy.text import Text
from compiler_core.report import Finding
from compiler_core.snippet.source import Place, place

_WAITS = (
    "the host waits until the device has computed it, and the device has nothing to do meanwhile"
)
_HERE = "; this run's tensors are the host's own, where it costs little, and on a GPU it waits"
_CALLED = "the device waits until Python has computed it, with a copy to the host and one back"
# What each callback does, and who waits for whom.
_CALLBACKS = {
    "pure_callback": (
        "jax.pure_callback calls a function of Python's in the middle of the program", _CALLED
    ),
    "io_callback": ("jax.experimental.io_callback calls a function of Python's", _CALLED),
    "jax.debug.print": ("jax.debug.print prints in the middle of the program", _WAITS),
    "jax.debug.callback": ("jax.debug.callback calls a function of Python's", _WAITS),
}  # fmt: skip
_BY_HAND = "compute it with jax.numpy, or call it before or after what is compiled"
_COUNTERPART = "jax.numpy has it: call {} in its place, which is compiled with the rest"


@dataclass(frozen=True)
class _Call:
    """A method of tensors that waits; `of` says whether one does with these arguments."""

    what: str
    remedy: str
    of: Callable[[tuple[Any, ...], Mapping[str, Any]], bool] = lambda args, kwargs: True


# torch's name of the host's device type.
_HOST = "cpu"
_NUMBER = "keep it a tensor"
_STAY = "leave the tensor where it is, and copy once, outside of what is compiled"


def host_syncs(c: Compilation) -> Iterator[Finding]:
    """An entry of the why-list for each such line, except lines with an entry for a graph break."""
    breaks = {f.line for own in c.findings.values() for f in own if f.kind == "graph break"}
    found = _of_torch(c) if c.program.framework == "torch" else _of_jax(c)
    yield from (f for f in found if f.line not in breaks)


def _of_jax(c: Compilation) -> Iterator[Finding]:
    assert c.captured is not None
    seen: dict[tuple[str, int | None], list[int]] = {effect: [] for effect in c.captured.effects}
    for node in c.captured.nodes:
        seen.setdefault((node.op, node.line), []).append(node.id)
    for (name, line), ids in seen.items():
        if name in _CALLBACKS:
            remedy = _instead(c, line) or _BY_HAND
            moved = bytes_moved(c, ids)
            yield Finding(
                "host sync", "core", *_CALLBACKS[name], remedy, line, nodes=ids, bytes=moved
            )


def _instead(c: Compilation, line: int | None) -> str:
    """What to call in place of a function of numpy's; blank where jax.numpy has none of its name,
    or it is another function."""
    if c.origin is None or line is None:
        return ""
    try:
        own = counterpart(Text.parse(c.origin.text), line)
    except SyntaxError:  # a snippet that is no Python
        return ""
    return _COUNTERPART.format(own) if own else ""


def _of_torch(c: Compilation) -> Iterator[Finding]:
    assert c.captured is not None
    line_of: dict[int | None, list[int]] = {}
    for node in c.captured.nodes:
        line_of.setdefault(node.line, []).append(node.id)
    for (call, at), seen in _seen(c).items():
        line, column, _ = (None, None, None) if at is None else at
        yield Finding(
            "host sync", "core", call.what, _WAITS + (_HERE if kind(c.device).is_host else ""),
            call.remedy, line, None if column is None else column - 1,
            nodes=line_of.get(line, []) if line else [], count=seen.times, us=seen.ns / 1e3,
        )  # fmt: skip


@dataclass
class _Waits:
    """How often a call at a line waits in a run, and for how long in all."""

    times: int = 0
    ns: int = 0


def _seen(c: Compilation) -> Mapping[tuple[_Call, Place | None], _Waits]:
    """What torch is called with by the snippet's own lines while it runs the program once, after a
    run that is not timed."""
    assert c.captured is not None
    torch: Any = sys.modules["torch"]
    waits = _waiting(torch)
    found: dict[tuple[_Call, Place | None], _Waits] = {}

    class Watching(torch.overrides.TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            call = waits.get(func)
            start = time.perf_counter_ns()
            result = func(*args, **(kwargs or {}))
            ns = time.perf_counter_ns() - start
            if call is not None and call.of(args, kwargs or {}) and (at := place()) is not None:
                spent = found.setdefault((call, at), _Waits())
                spent.times, spent.ns = spent.times + 1, spent.ns + ns
            return result

    # A program that fails has been told of where it was checked.
    with suppress(Exception):
        c.captured.eager(c.captured.arguments)
        with Watching():
            c.captured.eager(c.captured.arguments)
    return found


def _waiting(torch: Any) -> Mapping[Any, _Call]:
    tensor = torch.Tensor
    number = _Call("a tensor becomes a Python number here", _NUMBER)
    cpu = _Call("a tensor is copied to the host here", _STAY)
    to = _Call(cpu.what, _STAY, lambda args, kwargs: _HOST in (*args[1:], *kwargs.values()))
    array = _Call("a tensor becomes an array of numpy here", "compute it with torch")
    shape = _Call("the shape of a result depends on values here", "use torch.where or a mask")
    return {
        tensor.item: number, tensor.__float__: number, tensor.__int__: number,
        tensor.__bool__: number, tensor.tolist: _Call("a tensor becomes a list here", _NUMBER),
        tensor.cpu: cpu, tensor.to: to, tensor.numpy: array, tensor.__array__: array,
        tensor.nonzero: shape, torch.nonzero: shape, torch.masked_select: shape,
    }  # fmt: skip
