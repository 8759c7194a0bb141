"""What stages may raise, and a recorder of the events that follow."""

import asyncio

import msgspec

from compiler_core import report

TWO = """\
# inputs: f32[4], f32[4]
import torch

@torch.compile
def first(x):
    return x + 1

@torch.compile
def second(x):
    return x * 2

first(torch.ones(4))
second(torch.ones(4))
"""


class Mute(Exception):
    def __str__(self):
        raise ValueError("no words")


class MuteForGood(Exception):
    def __str__(self):
        raise SystemExit(1)


class NoText(Exception):
    def __str__(self):
        return 7  # noqa: PLE0307  # what is tested


class OfItsOwn(BaseException):
    pass


def endless():
    return endless()


def encode():
    msgspec.json.encode(object())


RAISED = {
    "plain": RuntimeError("a plain error"),
    "without words": ValueError(),
    "several lines": RuntimeError("first\nsecond\nthird"),
    "10 MB": RuntimeError("x" * 10_000_000),
    "half a pair": RuntimeError("\udc80"),
    "key": KeyError(("a", 1)),
    "memory": MemoryError(),
    "recursion": endless,
    "exit": SystemExit(3),
    "exit in words": SystemExit("bye"),
    "end of a generator": GeneratorExit(),
    "end of an iterator": StopIteration(4),
    "cancelled": asyncio.CancelledError(),
    "group": BaseExceptionGroup("several", [SystemExit(1), ValueError("x")]),
    "base": OfItsOwn("deep"),
    "mute": Mute(),
    "mute for good": MuteForGood(),
    "no text": NoText(),
    "strange name": type("A\nB", (Exception,), {})("x"),
    "not encodable": encode,
}


def throw(what):
    if not isinstance(what, BaseException):
        what()
    raise what


class Recorder:
    """Events as a worker takes them: written as JSON and read back."""

    def __init__(self):
        self.report, self.events = report.Report(), []

    def __call__(self, event):
        read = report.decode_event(report.encode_event(event))
        self.events.append(read)
        report.apply(self.report, read)


def assert_one_sentence(program, stage, kind):
    error = program.error
    assert (program.status, error.stage) == ("failed", stage)
    assert_stage_failed(program, stage, kind, error.message)
    assert len(error.traceback) < 10_000


def assert_stage_failed(program, stage, kind, message=None):
    (failed,) = (s for s in program.stages if s.status == "failed")
    assert (failed.name, failed.kind) == (stage, kind)
    assert message in (None, failed.summary)
    assert failed.summary.strip() and "\n" not in failed.summary and len(failed.summary) < 600
