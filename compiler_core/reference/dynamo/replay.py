"""The snippet's calls repeated through Dynamo, one after another, and what it reported."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from compiler_core.reference.dynamo import private
from compiler_core.reference.dynamo.apart import apart
from compiler_core.reference.dynamo.call import Calling
from compiler_core.reference.dynamo.conditions import Condition
from compiler_core.reference.dynamo.failed_guard import Failed, failed, more_settings
from compiler_core.reference.dynamo.guarded import Heard as GuardsHeard
from compiler_core.reference.dynamo.guards import conditions
from compiler_core.reference.dynamo.heard import Heard, is_compiled_by_snippet
from compiler_core.snippet.output import unlogged

# The id of the compilation that a reason concerns.
_VERSION = re.compile(r"\A\d+/\d+(?=: )")


@dataclass(frozen=True)
class Recompiled:
    """A recompilation: before which call (from 0) of which function, and why `version`, which of
    its `compilations` so far is nearest to the call, could not be reused. `id` is the id of the
    new compilation; `raw` has the first guard that failed of each, the latest first."""

    call: int
    id: str
    function: str
    version: str
    failed: Failed
    raw: str
    compilations: int


@dataclass
class Replay:
    """What was recorded. `raised` is the error of Dynamo's that ended the calls."""

    calling: Calling
    heard: Heard = field(default_factory=Heard)
    times: dict[str, float] = field(default_factory=dict)
    guards: dict[str, list[Condition]] = field(default_factory=dict)
    recompiled: list[Recompiled] = field(default_factory=list)
    guarded: GuardsHeard = field(default_factory=GuardsHeard)
    symbols: dict[str, list[private.Symbol]] = field(default_factory=dict)
    # Microseconds that Python runs after each graph, by the graph's id.
    gaps: dict[str, float] = field(default_factory=dict)
    raised: Exception | None = None
    # The call that is being made.
    now: int = 0

    @classmethod
    def of(cls, calling: Calling) -> "Replay":
        """Makes the calls and records them. Raises what the program raises."""
        replay = cls(calling)
        replay.heard.on_graph, replay.heard.program = replay._graph, calling.subject.program.name
        with apart(calling.subject.captured):
            compiled = calling.compiled(replay.heard.backend)
            with replay._listening():
                try:
                    replay._run(compiled)
                except Exception as error:
                    if not private.is_dynamos(error):
                        raise
                    replay.raised = error
                replay._read()
            if replay.raised is None and replay.heard.breaks:
                replay._measure(compiled)
        return replay

    def _measure(self, compiled: Callable[..., Any]) -> None:
        first = self.calling.calls[0]
        with unlogged():
            self.gaps = self.heard.gaps.of(lambda fn: self.calling.make(first, fn), compiled)

    def _run(self, compiled: Callable[..., Any]) -> None:
        for number, call in enumerate(self.calling.calls):
            self.now = number
            self.calling.make(call, compiled)

    @contextmanager
    def _listening(self) -> Iterator[None]:
        hearing = private.on_recompile(self._again), private.on_guard(self.guarded.hear)
        with self.heard.listening(), hearing[0], hearing[1]:
            yield

    def _graph(self, id_: str, graph: Any) -> None:
        self.symbols[id_] = private.symbols()

    def _again(self, reasons: Sequence[private.Reason], frame: Any) -> None:
        # What was compiled for the core's capture is none of this one's.
        own = [r for r in reasons if _version(r.text) in self.heard.ids]
        if not own or not is_compiled_by_snippet(frame.f_code):
            return
        # Of several with as few guards that fail, the latest.
        near = min(own, key=lambda r: r.failing + more_settings(r.text))
        spaces = frame.f_locals, getattr(frame, "f_globals", {})
        why = failed(near.text, *spaces, near.settings, private.settings())
        function = self.heard.name_of(frame.f_code)
        version = self._ours(near.text).partition(":")[0]
        raw = "\n".join(self._ours(reason.text) for reason in own)
        again = Recompiled(self.now, self.heard.during(), function, version, why, raw, len(own))
        self.recompiled.append(again)

    def _ours(self, reason: str) -> str:
        """A reason that names the compilation by our id instead of torch's."""
        return _VERSION.sub(lambda id_: self.heard.ids.get(id_[0], id_[0]), reason)

    def _read(self) -> None:
        """Guards and times, which are there as long as the compiled code is."""
        own, heard = self.heard.ids, self.guarded.by_text
        self.times = {own[i]: ms for i, ms in private.compile_times().items() if i in own}
        for code in {id(f.old): f.old for f in self.heard.frames}.values():
            found = private.guards_of(code)
            self.guards |= {
                own[i]: conditions(g, code, heard) for i, g in found.items() if i in own
            }
        self.recompiled = [replace(each, failed=self._placed(each)) for each in self.recompiled]

    def _placed(self, each: Recompiled) -> Failed:
        """The failed guard with its line, and an object with its name, as the version's guard has
        them."""
        why = each.failed
        of = (c for c in self.guards.get(each.version, ()) if why.is_of(c.text))
        found = next(of, None) if why.guard else None
        if found is None:
            return why
        old = found.value if why.kind == "object" else why.old
        return replace(why, line=why.line or found.line, old=old)


def _version(reason: str) -> str:
    """The id by which torch names the compilation; "" if it names none."""
    found = _VERSION.match(reason)
    return found[0] if found else ""
