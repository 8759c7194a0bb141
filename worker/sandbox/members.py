"""The processes of a run, as the trusted side has them: process 1 and all that are in its
namespace and, where there are control groups, in its group."""

import os
import socket

from worker.sandbox import protocol
from worker.sandbox.crowd import SESSION, Crowd, Found
from worker.sandbox.files import kill, send
from worker.sandbox.groups import Group, Groups, NoGroup
from worker.sandbox.limits import Limits
from worker.sandbox.share import Share
from worker.sandbox.starved import late


class Members:
    """`pidfd` is process 1's; None until it is there. Without `groups` process 1 is told to stop
    and to let go on; where nothing is isolated (`isolate`), it ends with its status socket."""

    def __init__(self, limits: Limits, groups: Groups | None, isolate: bool) -> None:
        self.pidfd: int | None = None
        self._limits, self._groups, self._isolate = limits, groups, isolate
        self._group: Group = NoGroup()
        self._crowd, self._share = Crowd(limits.processes), Share()

    def begin(self, pidfd: int, session: int | None = None) -> None:
        """Process 1 is there, and its child waits to be told what to run; `session` is the file of
        theirs (share.py)."""
        self.pidfd, self._share = pidfd, Share(session)
        self._share.yields(self._limits.niceness)
        if self._groups is not None:
            self._group = self._groups.take(self._limits, pidfd)

    def look(self) -> tuple[str, str] | None:
        """Sees to it that they leave others a processor; called again and again. How the run ends
        where there are more of them than there may be, of the table of failures; else None."""
        if self.pidfd is None:
            return None
        self._share.look()
        found = self._crowd.look(self.pidfd)
        if found is Found.CROWD:
            self._share.yields(SESSION)
        return ("processes", "") if found is Found.TOO_MANY else None

    def late(self, paused_s: float) -> tuple[str, str]:
        """How the run ends that is at its deadline (starved.py), and its detail."""
        return late(self.pidfd, self._limits.deadline_s, paused_s, self._crowd.most)

    def stand_still(self, status: socket.socket, yes: bool) -> None:
        """Stops all of them, or lets them go on."""
        if not self._group.stand_still(yes):
            send(status, protocol.FREEZE if yes else protocol.THAW)

    def ran_out(self) -> bool:
        """Whether the kernel ended them because they wanted more than their memory."""
        return self._group.ran_out()

    def end(self) -> None:
        """Ends them; returns when they are dead."""
        if self.pidfd is None:
            return
        if self._isolate:
            self._share.hurries()
            self._group.end()
            kill(self.pidfd, self._share.look)
        self._group.remove()
        os.close(self.pidfd)
        self._share.close()
        self.pidfd = None
