"""Connections to the database that stay open, for threads that ask it again and again.

Django closes them after every request, and opens one for the next: for SQLite that alone takes
several times as long as to store a keystroke.
"""

from django.db import connections


def drop_broken() -> None:
    """Closes those connections of this thread over which something failed: whoever asks next has a
    new one."""
    for each in connections.all(initialized_only=True):
        if each.errors_occurred:
            each.close()
