"""How many runs may stand still, by the files that a worker may have open."""

import resource
import subprocess
import sys
from collections.abc import Iterator

import pytest

from worker.config import Config
from worker.descriptors import needed, provided
from worker.sandbox.limits import Limits

ASK = """
import logging, resource
resource.setrlimit(resource.RLIMIT_NOFILE, (200, 1000))
logging.basicConfig(format="%(message)s")
from worker.config import Config
from worker.descriptors import provided
from worker.sandbox.limits import Limits
print(provided(Config(Limits(), runs=2, warm_up_s=1, parked=300)).parked)
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.fixture
def few() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (300, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("few")
def test_the_limit_is_raised_to_what_the_runs_need() -> None:
    config = Config(Limits(), runs=2, warm_up_s=1, parked=120)
    assert provided(config) == config
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == needed(config)


def test_where_it_cannot_be_raised_fewer_stand_still_and_the_log_says_so() -> None:
    asked = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    assert asked.stdout.split() == ["85", "1000", "1000"]
    assert asked.stderr.startswith(
        "this process may have 1,000 files open: instead of FUSELAB_PARKED=300 no more than 85 runs"
    )
