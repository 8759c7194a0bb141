"""The room's Django application."""

from django.apps import AppConfig


class ExamplesConfig(AppConfig):
    name = "webapp.examples"
    label = "examples"
