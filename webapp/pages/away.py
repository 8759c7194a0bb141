"""Pages while the database or Redis is away say so; the API does by itself."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from webapp.away import refusal
from webapp.pages.views import refused


class Away:
    """The middleware that does it."""

    def __init__(self, inner: Callable[[HttpRequest], HttpResponse]) -> None:
        self._inner = inner

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._inner(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The page for what a view raised; None for what nobody expects."""
        said = refusal(error)
        return refused(request, said) if said else None
