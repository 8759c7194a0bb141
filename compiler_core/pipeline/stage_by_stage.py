"""Runs a program through stages: what an exception ends, and where meanwhile its prints go."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from compiler_core.pipeline.context import Compilation, Work
from compiler_core.pipeline.stage import BackendStage, Stage
from compiler_core.snippet.execute import as_main
from compiler_core.snippet.output import stream, suppress
from compiler_core.snippet.raised import is_interrupt


def run(c: Compilation, pipeline: Sequence[Stage | BackendStage]) -> None:
    """Runs every wanted stage whose needs are met: once, for each graph, or for each graph and
    backend. An exception ends its stage and no other."""
    for stage in pipeline:
        for at in stage.places(c):
            try:
                with at[0].failing_as(stage.name, stage.kind, *at[1:]):
                    _run(stage, *at)
            except BaseException as error:
                if is_interrupt(error) or not at[0].was_shown(error):
                    raise


def _run(stage: Any, c: Compilation, *work: Work) -> None:
    if stage.ready(c, *work):
        c.emit_began(stage.name)
        with _output_of(c, stage.name), as_main(c.program.module):
            stage.run(c, *work)


def _output_of(c: Compilation, stage: str) -> AbstractContextManager[None]:
    """A program that the snippet has not called itself may print while it is captured; what it
    prints when it is run again, to be checked and timed, goes nowhere."""
    first = stage == "capture" and not c.program.ran
    return stream(c.emit) if first else suppress()
