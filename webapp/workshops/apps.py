"""The room's Django application."""

from django.apps import AppConfig


class WorkshopsConfig(AppConfig):
    name = "webapp.workshops"
    label = "workshops"

    def ready(self) -> None:
        """Registers that the leader's runs go before others of the room."""
        from webapp.runs.turns import PRECEDENCE
        from webapp.workshops.precedence import leaders_first

        PRECEDENCE.append(leaders_first)
