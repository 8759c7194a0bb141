"""What was freed goes back to the machine, once whatever took it is over."""

import ctypes
import weakref

from webapp import freed
from webapp.freed import MORE_BYTES, Freed


def test_it_is_given_back_when_the_process_grows_no_more():
    has, given_back = [0], []
    watch = Freed(lambda: has[-1], lambda: given_back.append(has[-1]) or has.append(MORE_BYTES))
    for now in (MORE_BYTES - 1, MORE_BYTES, 3 * MORE_BYTES, 5 * MORE_BYTES):
        has.append(now)
        watch.look()
    assert given_back == []  # it grows
    watch.look()
    assert given_back == [5 * MORE_BYTES]
    for _ in range(3):
        watch.look()
    assert len(given_back) == 1  # what is left is in use


def test_what_the_library_keeps_is_given_back():
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, (ctypes.c_void_p,)
    # Each smaller than what is taken from the machine by itself.
    parts = [libc.malloc(100_000) for _ in range(1000)]
    for part in parts:
        ctypes.memset(part, 1, 100_000)
    *others, last = parts  # which is above them, so that they are not at the end of what there is
    for part in others:
        libc.free(part)
    before = freed.held()
    freed.give_back()
    assert freed.held() < before - 50_000_000
    libc.free(last)


def test_what_refers_to_itself_alone_is_given_back():
    class Request:
        def __init__(self):
            self.itself = self

    gone = weakref.ref(Request())
    freed.give_back()
    assert gone() is None
