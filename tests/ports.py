"""Ports of this machine that nobody listens at."""

import socket

_held: list[socket.socket] = []


def free_port() -> int:
    """A port kept for whoever listens at it later, with SO_REUSEADDR as servers do: until then
    no other process is given it, neither to listen at nor for a connection of its own."""
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    _held.append(holder)
    return int(holder.getsockname()[1])
