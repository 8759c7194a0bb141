"""A runner's output: decoded as it arrives, and cut at its limit with a notice."""

import codecs
from typing import Literal

from compiler_core.report import Event, Notice, Noticed, Printed
from worker.sandbox import protocol
from worker.sandbox.limits import KIB

Stream = Literal["stdout", "stderr"]


class Output:
    """Both streams of one run, which share one limit."""

    def __init__(self, limit: int) -> None:
        self._limit, self._left, self._notified = limit, limit, False
        decoder = codecs.getincrementaldecoder("utf-8")
        self._decoders = {name: decoder("replace") for name in ("stdout", "stderr")}

    def bytes(self, stream: Stream, data: bytes) -> list[Event]:
        """The events for bytes from a standard stream; b"" means that the stream has ended."""
        text = self._decoders[stream].decode(data, final=not data)
        return self.text(Printed(stream, text)) if text else []

    def text(self, printed: Printed) -> list[Event]:
        """`printed`, cut at the run's limit, with a notice where it was cut."""
        kept = printed.text[: max(self._left, 0)]
        self._left -= len(printed.text)
        if self._left < -protocol.MAX_RUN:
            raise protocol.Flood("an endless stream of prints")
        events: list[Event] = [Printed(printed.stream, kept)] if kept else []
        if self._left < 0 and not self._notified:
            self._notified = True
            kib = self._limit // KIB
            text = f"The snippet printed more than {kib} KiB; the rest was left out."
            events.append(Noticed(Notice("warning", text, by_service=True)))
        return events
