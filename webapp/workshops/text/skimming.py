"""Skims the bytes of a change before they are decoded: as many things as they say, and plain text
alone.

A decoder that believes what a change says of its own length takes half a gigabyte for twelve
bytes. The form is Yjs' first encoding of updates and of state vectors.
"""

from webapp.workshops.text import ROOT

# Beyond these, sums no longer fit in what others count with.
_CLOCKS, _CLIENTS = 2**31, 2**53
# Kinds of what is written, in the lower bits of its first byte.
_COLLECTED, _DELETED, _STRING = 0, 1, 4
_LEFT, _RIGHT, _PART = 0x80, 0x40, 0x20


class Malformed(ValueError):
    """The bytes are no change."""


class NotPlain(ValueError):
    """They are a change of something else than plain text."""


def update(given: bytes) -> int:
    """The number of pieces that a change has written. Raises Malformed or NotPlain for what is no
    change of a shared text."""
    bytes_, all_ = _Bytes(given), 0
    for _ in range(bytes_.number()):
        structs = bytes_.number()
        all_ += structs
        bytes_.identity()
        for _ in range(structs):
            _struct(bytes_)
    for _ in range(bytes_.number()):
        bytes_.number(_CLIENTS)
        for _ in range(bytes_.number()):
            bytes_.number(), bytes_.number()
    bytes_.end()
    return all_


def state(given: bytes) -> None:
    """Raises Malformed for what is no state vector."""
    bytes_ = _Bytes(given)
    for _ in range(bytes_.number()):
        bytes_.identity()
    bytes_.end()


def _struct(bytes_: "_Bytes") -> None:
    info = bytes_.take(1)[0]
    kind = info & 0x1F
    if kind == _COLLECTED:
        bytes_.number()
        return
    if kind not in (_DELETED, _STRING) or info & _PART:
        raise NotPlain
    for side in (_LEFT, _RIGHT):
        if info & side:
            bytes_.identity()
    if not info & (_LEFT | _RIGHT) and (bytes_.number() != 1 or bytes_.text() != ROOT.encode()):
        raise NotPlain
    if kind == _DELETED:
        bytes_.number()
    else:
        bytes_.text()


class _Bytes:
    """Bytes that are read from the front."""

    def __init__(self, given: bytes) -> None:
        self._given, self._at = given, 0

    def take(self, count: int) -> bytes:
        found = self._given[self._at : self._at + count]
        if len(found) < count:
            raise Malformed
        self._at += count
        return found

    def number(self, below: int = _CLOCKS) -> int:
        """Seven bits a byte, the lowest first; the highest bit says that there are more."""
        value = shift = 0
        while value < below:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80 and value < below:
                return value
            shift += 7
            if shift > 56:
                break
        raise Malformed

    def identity(self) -> None:
        """A writer and the number of something that they wrote."""
        self.number(_CLIENTS), self.number()

    def text(self) -> bytes:
        return self.take(self.number())

    def end(self) -> None:
        if self._at != len(self._given):
            raise Malformed
