"""The files that a worker may have open at a time: each run that it has takes some, also while it
stands still."""

import logging
import resource
from dataclasses import replace

from worker.config import Config

log = logging.getLogger(__name__)

# Of a run that stands still: its sockets, pipes, process, bell and selector. One that computes has
# a connection to the database besides; and what the worker itself has, Celery and Redis with it.
STANDING, COMPUTING, OWN = 8, 16, 256
_TOO_FEW = (
    "this process may have %s files open: instead of FUSELAB_PARKED=%s no more than %s runs stand "
    "still at a time; raise the hard limit of open files (ulimit -Hn) to %s for all of them"
)


def needed(config: Config) -> int:
    """Files that a worker with this many runs has open at most."""
    return OWN + COMPUTING * 2 * config.runs + STANDING * config.parked


def provided(config: Config) -> Config:
    """The settings with as many runs that stand still as this process can be allowed files for; its
    limit is raised to what they need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = needed(config)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    if most == wanted:
        return config
    parked = max(0, config.parked - -(-(wanted - most) // STANDING))
    log.warning(_TOO_FEW, f"{hard:,}", config.parked, parked, f"{wanted:,}")
    return replace(config, parked=parked)
