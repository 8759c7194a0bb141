"""What XLA writes of a module while it compiles it: files in a folder of its own.

The names are XLA's: `module_0036.jit_f.0006.simplification.after_algsimp.before_dce.txt`, where
four digits are the order over all pipelines. A pass that changes nothing writes no file; some write
one that says the same.
"""

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Options of one compilation, not of the process: XLA_FLAGS is read once, and dumps helpers too.
_OPTIONS: dict[str, Any] = {"xla_dump_hlo_as_text": True, "xla_dump_hlo_pass_re": ".*"}
_SNAPSHOT = re.compile(
    r"module_\d+\..+?\.(?P<order>\d{4})\.(?P<pipeline>.+?)\.after_(?P<after>.+?)"
    r"(?:\.before_.+)?\.txt"
)
# A pipeline's input, which XLA writes as if a pass had made it.
_START = "pipeline-start"


@dataclass(frozen=True)
class Snapshot:
    """The module's text after a pass of a pipeline; `pass_` is None of what the pipeline begins
    with."""

    order: int
    pipeline: str
    pass_: str | None
    text: str


@dataclass(frozen=True)
class Dump:
    """A compiled module and the texts that were written on the way, by the names of their files."""

    compiled: Any
    texts: dict[str, str]

    def snapshots(self) -> list[Snapshot]:
        """Those of passes, in their order; a file whose name says something else is none."""
        return sorted(_snapshots(self.texts), key=lambda each: each.order)


def compile_with_dump(lowered: Any) -> Dump:
    """Compiles a jax.stages.Lowered. The folder is new each time: XLA's own cache would otherwise
    know the module and write nothing."""
    with tempfile.TemporaryDirectory(prefix="fuselab-xla-") as folder:
        compiled = lowered.compile(compiler_options=_OPTIONS | {"xla_dump_to": folder})
        texts = {p.name: p.read_text() for p in Path(folder).iterdir() if p.suffix == ".txt"}
        return Dump(compiled, texts)


def _snapshots(texts: dict[str, str]) -> Iterator[Snapshot]:
    for name, text in texts.items():
        if found := _SNAPSHOT.fullmatch(name):
            after = None if found["after"] == _START else found["after"]
            yield Snapshot(int(found["order"]), found["pipeline"], after, text)
