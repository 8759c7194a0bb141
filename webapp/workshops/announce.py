"""Announces to the pages of a workshop that something in it changed, which they are told from the
database."""

from webapp.groups import notify


def group(code: str) -> str:
    """The name of the workshop's group in the channel layer."""
    return f"workshop.{code}"


def announce(code: str) -> None:
    """Announces a change. One that is lost is seen a moment later: pages' sockets look for
    themselves."""
    notify(group(code), "workshop.changed")
