"""The ASGI application, which webapp/serve.py serves."""

import os
import warnings

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application
from django.core.handlers.asgi import ASGIHandler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
# Django says so of every static file; they are small and read at once.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous")

# Seconds that a body may take, and of how many an address may spend the budget at once.
BODY_S, FULL_S = 20.0, 30
# Requests of one address that are answered at a time: an answer that is read slowly is one of them.
ANSWERS = 128


def _routed(django: ASGIHandler) -> ProtocolTypeRouter:
    # Models can be imported only when Django is set up.
    from django.conf import settings

    from webapp.budget import Budgets, Places
    from webapp.lifespan import lifespan
    from webapp.limits import budgeted, limited, refuse
    from webapp.live.guard import guarded
    from webapp.live.routing import router
    from webapp.metered import metered
    from webapp.patience import patient

    budgets = Budgets(settings.BUDGET, settings.BUDGET * FULL_S)
    http = limited(patient(django, BODY_S, refuse), settings.MAX_BODY_BYTES)
    sockets = guarded(router, budgets, Places(settings.SOCKETS))
    rooms = {
        "http": metered(budgeted(http, budgets, Places(ANSWERS))),
        "websocket": sockets,
        "lifespan": lifespan,
    }
    return ProtocolTypeRouter(rooms)


application = _routed(get_asgi_application())
