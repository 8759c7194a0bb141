"""The room's Django application."""

from django.apps import AppConfig


class WorkshopsConfig(AppConfig):
    name = "webapp.workshops"
    label = "workshops"

    def ready(self) -> None:
        """Has a say in whose turn it is."""
        from webapp.runs.turns import PRECEDENCE
        from webapp.workshops.precedence import leaders_first

        PRECEDENCE.append(leaders_first)
