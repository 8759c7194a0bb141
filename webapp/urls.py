"""Every address of the site. WebSockets have theirs in live/routing.py."""

from django.urls import path

from webapp.api import api
from webapp.pages import views

urlpatterns = [
    path("", views.playground, name="playground"),
    path("r/<str:run_id>", views.permalink, name="permalink"),
    path("r/<str:run_id>/card.png", views.card, name="card"),
    path("c/<str:pair>", views.comparison, name="comparison"),
    path("e/<str:run_id>", views.embed, name="embed"),
    # Whatever the code: the page asks the door.
    path("w/", views.playground, name="workshops"),
    path("w/<str:code>", views.workshop, name="workshop"),
    path("docs/<path:name>", views.document, name="document"),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("api/v1/", api.urls),
]

handler404 = views.not_found
