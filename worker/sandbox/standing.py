"""How long a run stood still because others measured: the runner, which knows how long it has by
its own clock, is told when it goes on."""

import time

from worker.sandbox import protocol


class Standing:
    """Of one run. What it stood still after its first IR is none of it: that it has waited for
    itself."""

    def __init__(self) -> None:
        self._since: float | None = None

    def turned(self, still: bool) -> bytes:
        """The run is stopped, or let go on. The frame that then tells the runner how long it stood;
        nothing while there is nothing to tell."""
        since, self._since = self._since, time.monotonic() if still else None
        return b"" if still or since is None else protocol.pack(protocol.STOOD, _text(since))


def _text(since: float) -> bytes:
    return b"%.3f" % (time.monotonic() - since)
