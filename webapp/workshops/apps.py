"""The room's Django application."""

from django.apps import AppConfig


class WorkshopsConfig(AppConfig):
    name = "webapp.workshops"
    label = "workshops"
