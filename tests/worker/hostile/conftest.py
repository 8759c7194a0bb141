"""After each attack the next run is as it should be, and a neighbour that was there is unhurt."""

import time
from collections.abc import Iterator

import msgspec
import pytest

from tests.worker.conftest import LIMITS, Deed
from tests.worker.family import Running, alive
from worker.sandbox.server import ForkServer

# Process 1 and the snippet's own; whoever forked them is about to end.
OF_A_RUN = 2
# The run after an attack takes at most so many times what it took before, and on a machine on which
# others work so much more: it takes a tenth of a second.
MOST_TIMES, BUSY_S = 10, 0.5
NEIGHBOUR = "import time; time.sleep(600)"
# What ends it is the end of the test, however long the attack takes.
LONG = msgspec.structs.replace(LIMITS, deadline_s=600)
HONEST = "import os, subprocess; say(subprocess.check_output(['echo', 'next'], text=True).strip())"


@pytest.fixture(autouse=True)
def others_go_on(request: pytest.FixtureRequest) -> Iterator[None]:
    """Of tests that attack the common server."""
    if "deed" not in request.fixturenames:
        yield
        return
    deed: Deed = request.getfixturevalue("deed")
    server: ForkServer = request.getfixturevalue("server")
    with Running(server, NEIGHBOUR, LONG) as neighbour:
        while len(neighbour) > OF_A_RUN:
            time.sleep(0.01)
            neighbour = {*filter(alive, neighbour)}
        before_s = next_run_s(deed)
        yield
        assert neighbour and all(map(alive, neighbour)), "a neighbour was hurt"
        after_s = next_run_s(deed)
        assert after_s < MOST_TIMES * before_s + BUSY_S, f"the next run was slow: {after_s:.2f} s"


def next_run_s(deed: Deed) -> float:
    """How long an honest run takes, which is as it should be."""
    began = time.monotonic()
    after = deed(HONEST)
    assert (after.said, after.message) == (["next"], ""), "the next run was hurt"
    return time.monotonic() - began
