"""A process of its own that enters one layer of the sandbox and no other, and tries something."""

import errno
import os
import select
import signal
from collections.abc import Callable
from contextlib import suppress

from worker.sandbox.inside import linux, namespaces

Layer = Callable[[], object]

TRIES = 3
PATIENCE_S = 30
MOST_BYTES = 65_536


def tried(attack: Callable[[], object], *layers: Layer) -> str:
    """What came of `attack` in a process that entered `layers`, in this order: its result as text,
    or the name of the error that it met. Raises TimeoutError."""
    for _ in range(TRIES):
        if (text := _tried_once(attack, layers)) is not None:
            return text
    raise TimeoutError(f"{TRIES} processes said nothing for {PATIENCE_S} s each")


def _tried_once(attack: Callable[[], object], layers: tuple[Layer, ...]) -> str | None:
    """None where the process hangs: one that is forked from a process with threads may find a lock
    held that nobody is left to release."""
    ready, done = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ready)
        _try(attack, layers, done)
    os.setpgid(child, child)
    os.close(done)
    with open(ready, "rb", buffering=0) as said:
        heard = bool(select.select([said], [], [], PATIENCE_S)[0])
        # One read, not all until the end: a thread's fork may have taken the other end along.
        text = said.read(MOST_BYTES).decode() if heard else None
    if not heard:
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return text


def _try(attack: Callable[[], object], layers: tuple[Layer, ...], done: int) -> None:
    text = "ended"
    try:
        _forget_handlers()
        with suppress(BaseException):
            for layer in layers:
                layer()
            text = _outcome(attack)
        os.write(done, text.encode())
    finally:
        os._exit(0)


def _forget_handlers() -> None:
    """What whoever runs the tests does on a signal, such as at a time limit, is not for this
    process: it would go on with the tests. Nor is what libraries do without telling Python: they
    wait for locks that nobody is left to release."""
    for each in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, signal.SIG_DFL)


def _outcome(attack: Callable[[], object]) -> str:
    try:
        return str(attack())
    except OSError as refused:
        return errno.errorcode[refused.errno or 0]
    except BaseException as error:
        return type(error).__name__


def own_namespaces() -> None:
    """Goes on as process 1 of new namespaces, with all privileges within; mounts stay there."""
    namespaces.enter()
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    # Python's own handler raises, which is lost where it meets what runs after a fork.
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    linux.mount(None, "/", linux.MS_REC | linux.MS_PRIVATE)
