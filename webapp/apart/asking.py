"""Has something done in a process apart.

A report may be of megabytes, and of whatever a stranger's process wrote: decoded in the web process
it would hold up everybody for as long as that takes, and keep the memory.
"""

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from threading import BoundedSemaphore

import msgspec
from django.conf import settings

from webapp.apart.limits import PROCESSES, WAIT_S, WALL_S
from webapp.errors import Refusal, Refused

log = logging.getLogger(__name__)
_places = BoundedSemaphore(PROCESSES)
_KEPT = ("PATH", "LD_LIBRARY_PATH", "LANG")
_BUSY = Refusal(
    503, "Others have reports compared or checked.", "Try again in a few seconds.", again_s=5
)
_TOO_MUCH = Refusal(
    422,
    "The report says more than can be read at once.",
    "Choose fewer compilers, or fewer programs a snippet, and run it again.",
    "id",
)


def done(what: Callable[..., bytes], *given: bytes) -> bytes:
    """What the function, of a module that needs no Django, returns for what is given. Raises
    Refused (422, 503) where that takes more than it may, or too many ask."""
    if not _places.acquire(timeout=WAIT_S):
        raise Refused(_BUSY)
    try:
        return _asked(what, msgspec.msgpack.encode(given))
    finally:
        _places.release()


def _asked(what: Callable[..., bytes], given: bytes) -> bytes:
    command = (sys.executable, "-m", "webapp.apart", what.__module__, what.__qualname__)
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    try:
        ended = subprocess.run(
            command,
            input=given,
            capture_output=True,
            cwd=settings.BASE_DIR,
            env=environment,
            timeout=WALL_S,
            check=True,
        )
    except subprocess.TimeoutExpired as error:
        raise Refused(_TOO_MUCH) from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().splitlines()
        log.warning("%s ended with %d: %s", what.__name__, error.returncode, said[-1:])
        raise Refused(_TOO_MUCH) from error
    return ended.stdout
