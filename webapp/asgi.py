"""The ASGI application: `uvicorn webapp.asgi:application`."""

import os
import warnings

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
# Django says so of every static file; they are small and read at once.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous")
_django = get_asgi_application()

# Models can be imported only now.
from django.conf import settings  # noqa: E402

from webapp.limits import limited  # noqa: E402
from webapp.live.guard import guarded  # noqa: E402
from webapp.live.routing import router  # noqa: E402

application = ProtocolTypeRouter(
    {"http": limited(_django, settings.MAX_BODY_BYTES), "websocket": guarded(router)}
)
