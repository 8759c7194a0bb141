"""The addresses of WebSockets."""

from channels.routing import URLRouter
from django.urls import path, re_path

from webapp.live.consumer import RunConsumer
from webapp.live.nowhere import NowhereConsumer
from webapp.live.text import TextConsumer
from webapp.live.workshop import WorkshopConsumer

router = URLRouter(
    [
        path("ws/runs/<str:run_id>/", RunConsumer.as_asgi()),
        path("ws/workshops/<str:code>/text/", TextConsumer.as_asgi()),
        path("ws/workshops/<str:code>/", WorkshopConsumer.as_asgi()),
        re_path(r"", NowhereConsumer.as_asgi()),
    ]
)
