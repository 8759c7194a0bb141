"""Tests once, before a worker takes any run, whether this machine can isolate a snippet."""

import os
import subprocess

from worker.sandbox import bubblewrap
from worker.sandbox.bubblewrap import HOW_TO_ALLOW

_MODULE = "worker.sandbox.inside.probe"
_SECONDS = 30


class SandboxUnavailable(Exception):
    """The machine refuses a part of the sandbox; the text says which, and how to allow it."""


def require_sandbox() -> None:
    """Raises SandboxUnavailable if a runner cannot be confined on this machine."""
    if problem := _problem():
        raise SandboxUnavailable(HOW_TO_ALLOW + problem)


def _problem() -> str | None:
    namespace = None
    try:
        namespace = bubblewrap.root_namespace()
        tried = subprocess.run(
            [
                *bubblewrap.arguments(namespace=namespace),
                *(bubblewrap.interpreter(), "-m", _MODULE),
            ],
            env=bubblewrap.environment(),
            pass_fds=[namespace] if namespace is not None else [],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    finally:
        if namespace is not None:
            os.close(namespace)
    if tried.returncode == 0:
        return None
    return tried.stderr.strip() or f"bubblewrap exited with code {tried.returncode}"
