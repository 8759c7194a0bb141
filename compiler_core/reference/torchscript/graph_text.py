"""TorchScript's graphs as text. A line ends with its place in the source, `# <snippet>:9:4`: line
from 1, column from 0; in a trace the column is always 0 and means nothing."""

import re

from compiler_core import report
from compiler_core.reference.source_lines import SourceLines
from compiler_core.snippet.source import FILE

_PLACE = re.compile(rf" # {re.escape(FILE)}:(\d+):(\d+)$")
# Properties of tensors besides their sizes, which are the same on each line.
_NOISE = re.compile(r", strides=\[[^\]]*\]|, requires_grad=0|, device=cpu")


def artifact(text: str, lines: SourceLines, *, columns: bool) -> report.Artifact:
    """A graph's text with its line map, without details that every line repeats."""
    shown, nodes = [], []
    for line in text.splitlines():
        found = _PLACE.search(line)
        column = int(found[2]) if found and columns else None
        nodes.append(lines.at(int(found[1]), column) if found else [])
        shown.append(_NOISE.sub("", line))
    return report.Artifact("graph", "torchscript", "text", "\n".join(shown) + "\n", nodes)
