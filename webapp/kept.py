"""What was made of a text is kept for whoever asks next, by how large it is and not by how many
there are: a text of a stranger's may be made into megabytes."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

V = TypeVar("V")
# Two texts that are the same take one place; who asks at the same moment makes it twice.
Made = Callable[[str], V]


def kept(most: int, size: Callable[[Any], int]) -> Callable[[Made[V]], Made[V]]:
    """A decorator of a function of a text: what it returned lately, of at most `most` bytes
    together with the texts; `size` is how many a value has, about."""

    def decorate(make: Made[V]) -> Made[V]:
        values, lock, room = OrderedDict[str, V](), Lock(), most

        def made(text: str) -> V:
            nonlocal room
            with lock:
                if text in values:
                    values.move_to_end(text)
                    return values[text]
            value = make(text)
            with lock:
                if text not in values:
                    values[text] = value
                    room -= len(text) + size(value)
                while room < 0:
                    old, gone = values.popitem(last=False)
                    room += len(old) + size(gone)
            return value

        return made

    return decorate
