"""The ASGI application: `uvicorn webapp.asgi:application`."""

import os
import warnings

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application
from django.core.handlers.asgi import ASGIHandler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
# Django says so of every static file; they are small and read at once.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous")


def _routed(django: ASGIHandler) -> ProtocolTypeRouter:
    # Models can be imported only when Django is set up.
    from django.conf import settings

    from webapp.lifespan import lifespan
    from webapp.limits import limited
    from webapp.live.guard import guarded
    from webapp.live.routing import router

    http = limited(django, settings.MAX_BODY_BYTES)
    rooms = {"http": http, "websocket": guarded(router), "lifespan": lifespan}
    return ProtocolTypeRouter(rooms)


application = _routed(get_asgi_application())
