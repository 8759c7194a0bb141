"""The program that a run has captured, compiled once more by itself: a snippet of the IR's text
that the run's report has, and of nothing that anybody wrote. Whatever a text does to the compiler
in its own process, what this comes to is of the program that the text is said to be."""

import re

import msgspec

from compiler_core import inputs, report
from webapp.runs import views
from webapp.runs.models import Run
from webapp.runs.wire import ArtifactEntry
from webapp.workshops.exercises.calls import framework

# `graph f(%0: f32[4,8], %1: f32[8]) {`
_HEAD = re.compile(r"graph \S+\((?P<inputs>[^)]*)\) \{")
_TYPE = re.compile(r"%\d+: (\w+\[[\d,]*\])")
_CAPTURE = "capture"
_MEANING = {
    "torch": "import torch\nfrom compiler_core.ir.eval_torch import evaluate",
    "jax": """import jax
from compiler_core.ir.eval_jax import function, needs_x64
def evaluate(graph, given):
    return function(graph)(*given)""",
}
_READY = {"torch": "", "jax": 'jax.config.update("jax_enable_x64", needs_x64(_graph))'}
_TEMPLATE = """# The program of a run, by itself.
{meaning}
from compiler_core.ir.parse import parse
_graph = parse({text!r})
{ready}
def {name}(*given):
    return evaluate(_graph, [each for each in given if hasattr(each, "shape")])
"""


def snippet(run: Run, call: str, right: str) -> str | None:
    """What is run of the program of `run`, as composed() has it."""
    return composed(_captured(run), call, right)


def composed(text: str, call: str, right: str) -> str | None:
    """What is run of a graph's text, in the framework of the snippet that is `right`, so that both
    draw the same numbers; None where that is not one graph of the tensors of the exercise's call,
    or too long."""
    wanted, head = _tensors(call), _HEAD.match(text)
    if wanted is None or head is None or _TYPE.findall(head["inputs"]) != wanted:
        return None
    name, kind = inputs.calls(call)[0].name, framework(right)
    snippet = _TEMPLATE.format(meaning=_MEANING[kind], text=text, ready=_READY[kind], name=name)
    return snippet if len(snippet.encode()) <= report.MAX_SOURCE_BYTES else None


def _tensors(call: str) -> list[str] | None:
    """The types of a function's tensors; None where something else is called, or with more than
    tensors and numbers."""
    parsed = inputs.calls(call)[0]
    given = parsed.inputs.positional
    plain = all(isinstance(each, inputs.InputSpec | inputs.Literal) for each in given)
    if parsed.constructor is not None or parsed.inputs.keywords or not plain:
        return None
    specs = [each for each in given if isinstance(each, inputs.InputSpec)]
    return [f"{each.dtype}[{','.join(map(str, each.shape))}]" for each in specs]


def _captured(run: Run) -> str:
    """The text of the only graph of the only program; blank where there are more, or none, or where
    it is longer than any snippet."""
    listed = msgspec.json.decode(
        msgspec.json.encode([*views.artifacts(run)]), type=list[ArtifactEntry]
    )
    found = [each for each in listed if (each.stage, each.kind) == (_CAPTURE, "ir")]
    is_short = len(found) == 1 and found[0].bytes <= report.MAX_SOURCE_BYTES
    named = views.artifact(run, found[0].path) if is_short else None
    return b"".join(named.parts()).decode() if named else ""
