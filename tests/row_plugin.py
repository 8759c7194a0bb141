"""Which process runs the tests of the page: the one that has the servers and the browser for them.

pytest-xdist gives a process that has done its own tests half of what another has left. For tests of
the page that meant three sets of servers, browsers and warm compilers, a twentieth of all that the
tests took, for the last dozen tests. So they are left to the process that has begun with them, and
as these are what it all waits for in the end, the other processes come after it. Only where many
of them are left when all else is done does another process take half.
"""

import os

import pytest
from xdist.remote import Producer
from xdist.scheduler.worksteal import MIN_PENDING, WorkStealingScheduling
from xdist.workermanage import WorkerController

OF_THE_PAGE = "tests/browser/"
# The first has the beginning of the row, where the tests of the page are.
FIRST = "gw0"
# Tests of the page that take longer than servers, a browser and warm compilers to begin with.
MANY = 60
# Where all want more than there is, the first process has twice what another has.
NICE = 3


class Row(WorkStealingScheduling):
    """Takes over what anybody may run, from whoever has most of it."""

    def check_schedule(self) -> None:
        # Not as they came to be ready: the beginning is for the first by its name.
        known = sorted(self.node2pending, key=lambda node: node.gateway.id)
        up = [node for node in known if not node.shutting_down]
        if self.pending:
            idle = self._idle(up)
            for left, node in zip(range(len(idle), 0, -1), idle, strict=True):
                self._send_tests(node, len(self.pending) // left)
        idle = self._idle(up)
        if idle and self.steal_requested_from_node is None:
            self._take_over(up, idle)

    def _idle(self, up: list[WorkerController]) -> list[WorkerController]:
        return [node for node in up if len(self.node2pending[node]) < MIN_PENDING]

    def _take_over(self, up: list[WorkerController], idle: list[WorkerController]) -> None:
        node = max(up, key=lambda each: len(self._anybodys(each)))
        left = self._anybodys(node)
        if len(left) < MIN_PENDING:
            node = max(up, key=lambda each: len(self.node2pending[each]))
            left = self.node2pending[node] if len(self.node2pending[node]) > MANY else []
        # It goes on with what it is at, and with the next one.
        count = min(len(left) // 2, len(self.node2pending[node]) - MIN_PENDING)
        if count > 0:
            node.send_steal(left[-count:])
            self.steal_requested_from_node = node
            return
        for each in idle:
            each.shutdown()

    def _anybodys(self, node: WorkerController) -> list[int]:
        names = self.collection or []
        return [i for i in self.node2pending[node] if not names[i].startswith(OF_THE_PAGE)]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Row | None:
    return Row(config, log) if config.getvalue("dist") == "worksteal" else None


def pytest_configure(config: pytest.Config) -> None:
    worker = getattr(config, "workerinput", None)
    if worker and worker["workerid"] != FIRST:
        os.nice(NICE)
