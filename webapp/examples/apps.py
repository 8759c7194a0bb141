"""Django's handle on the room."""

from django.apps import AppConfig


class ExamplesConfig(AppConfig):
    name = "webapp.examples"
    label = "examples"
