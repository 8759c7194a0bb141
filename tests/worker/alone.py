"""A process of its own that enters one layer of the sandbox and no other, and tries something."""

import errno
import os
import signal
from collections.abc import Callable
from contextlib import suppress

from worker.sandbox.inside import linux, namespaces

Layer = Callable[[], object]


def tried(attack: Callable[[], object], *layers: Layer) -> str:
    """What came of `attack` in a process that entered `layers`, in this order: its result as text,
    or the name of the error that it met."""
    ready, done = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ready)
        _try(attack, layers, done)
    os.close(done)
    with open(ready) as said:
        text = said.read()
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
    process: it would go on with the tests."""
    for each in signal.valid_signals():
        if callable(signal.getsignal(each)):
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
    signal.signal(signal.SIGINT, signal.default_int_handler)
    linux.mount(None, "/", linux.MS_REC | linux.MS_PRIVATE)
