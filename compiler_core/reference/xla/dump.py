"""What XLA writes about a module while it compiles it: files in a folder of its own.

The names are XLA's: `module_0036.jit_f.0006.simplification.after_algsimp.before_dce.txt`, where
four digits are the order over all pipelines. A pass that changes nothing writes no file; some write
one with equal contents.
"""

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from compiler_core.measure.recorded import Span
from compiler_core.reference.xla import anew
from compiler_core.reference.xla.profile import profiled

# Options of one compilation, not of the process: XLA_FLAGS is read once, and dumps helpers too.
_OPTIONS: dict[str, Any] = {"xla_dump_hlo_as_text": True, "xla_dump_hlo_pass_re": ".*"}
_PREFIX = re.compile(r"module_\d+\.[^.]+?\.")
_SNAPSHOT = re.compile(
    r"(?P<order>\d{4})\.(?P<pipeline>.+?)\.after_(?P<after>.+?)(?:\.before_.+)?\.txt"
)
# A pipeline's input, which XLA writes as if a pass had made it.
_START = "pipeline-start"
_FIRST, _LAST = "before_optimizations.txt", "after_optimizations.txt"


@dataclass(frozen=True)
class Snapshot:
    """The module's text after a pass of a pipeline. `pass_` is None for the text with which the
    pipeline begins, `pipeline` is "" before and after all pipelines."""

    order: int
    pipeline: str
    pass_: str | None
    text: str


@dataclass(frozen=True)
class Dump:
    """A compiled module and the files written on the way, by their names without the module's:
    "0006.simplification.after_algsimp.before_dce.txt"."""

    compiled: Any
    files: dict[str, bytes]
    # The spans of the compilation that XLA's profiler recorded.
    spans: tuple[Span, ...] = ()

    def text(self, name: str) -> str:
        """The text of a file; "" if there is none."""
        return self.files.get(name, b"").decode(errors="replace")

    def ending(self, end: str) -> str:
        """The text of the file whose name is `end` after the name of a device:
        "cpu_after_optimizations.txt". "" if there is none."""
        return next((self.text(name) for name in self.files if name.endswith(end)), "")

    @cached_property
    def final(self) -> str:
        """The module's text from which code is generated."""
        return self.ending(_LAST) or str(self.compiled.as_text())

    def snapshots(self) -> list[Snapshot]:
        """The snapshots in order over all pipelines, from the module that XLA was given to the one
        that it compiled. Files with names in any other form are skipped."""
        first = [Snapshot(-1, "", None, self.text(_FIRST))] if _FIRST in self.files else []
        last = [Snapshot(10_000, "", None, text)] if (text := self.ending(_LAST)) else []
        return [*first, *sorted(self._passes(), key=lambda each: each.order), *last]

    def _passes(self) -> Iterator[Snapshot]:
        for name in self.files:
            if found := _SNAPSHOT.fullmatch(name):
                after = None if found["after"] == _START else found["after"]
                yield Snapshot(int(found["order"]), found["pipeline"], after, self.text(name))


def compile_with_dump(lowered: Any) -> Dump:
    """Compiles a jax.stages.Lowered. The folder is new each time, since otherwise XLA's own cache
    would have the module and write nothing."""
    with tempfile.TemporaryDirectory(prefix="fuselab-xla-") as folder:
        options = _OPTIONS | {"xla_dump_to": folder}
        with anew.compiling():
            compiled, spans = profiled(lambda: lowered.compile(compiler_options=options))
        # Shardy writes into a folder of its own in there.
        files = {p.name: p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()}
        named = {_PREFIX.sub("", name, count=1): file for name, file in files.items()}
        return Dump(compiled, named, spans)
