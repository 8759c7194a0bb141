"""A run's share of the processors, where Linux divides them among sessions (autogroup).

Each run is a session of its own: however many threads it has, another has as much. Where Linux does
not, or the worker is in a control group with a share of its own, nothing comes of it.
"""

import os

# What each session has of its own accord.
_FIRST = 0


class Share:
    """`file`: that of the run's session, which this closes; None where there is none."""

    def __init__(self, file: int | None = None) -> None:
        self._file, self._wanted = file, ""

    def yields(self, niceness: int) -> None:
        """Has the session come after those of others, as a process with this niceness would."""
        self._wanted = str(niceness)
        self.look()

    def hurries(self) -> None:
        """The run is ended: what dies makes room, and the sooner the better."""
        self.yields(_FIRST)

    def look(self) -> None:
        """Says it again where that was not heard: the kernel hears one wish in a tenth of a second,
        whosever it is."""
        if self._file is None or not self._wanted:
            return
        try:
            os.write(self._file, self._wanted.encode())
        except BlockingIOError:
            return
        except OSError:
            pass  # the run is over
        self._wanted = ""

    def close(self) -> None:
        """Nothing more is asked."""
        if self._file is not None:
            os.close(self._file)
        self._file = None
