"""The room's Django application."""

from django.apps import AppConfig


class WorkshopsConfig(AppConfig):
    name = "webapp.workshops"
    label = "workshops"

    def ready(self) -> None:
        """Registers that the leader's runs go before others of the room, that those of a kept
        workshop stay, and that all have what it has pinned."""
        from webapp.runs.create import MEANT
        from webapp.runs.expiry import SPARED
        from webapp.runs.turns import PRECEDENCE
        from webapp.workshops.expiry import kept_runs
        from webapp.workshops.pinned import as_pinned
        from webapp.workshops.precedence import leaders_first

        PRECEDENCE.append(leaders_first)
        SPARED.append(kept_runs)
        MEANT.append(as_pinned)
