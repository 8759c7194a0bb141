"""There are attacks of each family, and a hundred of them at least that have a name."""

from collections.abc import Collection

import pytest

from tests.worker.hostile import test_calls as calls
from tests.worker.hostile import test_each_layer_alone as alone
from tests.worker.hostile import test_memory_that_nobody_counts as memory
from tests.worker.hostile import test_seeing_another_run as seeing
from tests.worker.hostile import test_side_doors as doors
from tests.worker.hostile import test_surviving_the_kill as surviving
from tests.worker.sandbox import test_protocol as protocol

pytestmark = pytest.mark.null

FAMILIES: dict[str, tuple[Collection[str], ...]] = {
    "system calls": (calls.CALLS, calls.UNKNOWN, calls.OPTIONS, calls.ARGUMENTS, calls.MODULES),
    "memory that nobody counts": (memory.REFUSED, memory.HIDES, memory.HELD),
    "seeing another run": (seeing.WATCHES, seeing.MASKED, seeing.WRITES, seeing.ALL_THERE_IS),
    "surviving the kill": (surviving.CALLS, surviving.HOLDS_UP),
    "each layer alone": (alone.CALLS,),
    "frames": (protocol.HOSTILE, doors.STREAMS),
    "side doors": (doors.NAMES, doors.PEERS, doors.SENT, doors.IN_MEMORY, doors.PAST_MEMORY),
}


def test_there_are_a_hundred_attacks_that_have_a_name() -> None:
    named = {name: sum(map(len, tables)) for name, tables in FAMILIES.items()}
    assert all(named.values()) and sum(named.values()) >= 100, named
