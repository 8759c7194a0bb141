"""Announces to the watchers of a run that there are new events, which they read from the database.

A lost or repeated announcement may delay an event, and never loses one.
"""

from webapp.groups import notify


def group(run_id: str) -> str:
    """The name of the run's group in the channel layer."""
    return f"run.{run_id}"


def announce(run_id: str) -> None:
    """Announces new events of the run."""
    notify(group(run_id), "run.changed")
