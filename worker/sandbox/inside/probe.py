"""Makes each system call that a runner needs once, and prints the one that the kernel refuses."""

import os
import sys

from worker.sandbox.inside import namespaces
from worker.sandbox.limits import Limits


def main() -> int:
    """The exit code: 0 if the kernel allows every call."""
    try:
        namespaces.become_unprivileged()
        namespaces.enter()
        child = os.fork()
        if child == 0:
            _furnish()
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return 1


def _furnish() -> None:
    code = 1
    try:
        namespaces.furnish(Limits())
        code = 0
    except OSError as error:
        sys.stderr.write(f"{error}\n")
    finally:
        os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
