"""Answers are packed in gzip for those who take it so."""

import re

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

# `gzip;q=0` is the word of whoever takes none. Blanks are taken whole: given back one by one
# they would take seconds, in which nobody is answered.
_TAKEN = re.compile(r"(^|[\s,])gzip\s*+(?!;\s*+q=0(\.0*+)?\s*+(,|$))", re.IGNORECASE)


def takes_gzip(request: HttpRequest) -> bool:
    """Whether whoever asks takes an answer in gzip."""
    return _TAKEN.search(request.headers.get("Accept-Encoding", "")) is not None


class Whole(GZipMiddleware):
    """Packs what is sent as a whole. What is sent piece by piece is packed by who makes it, or is a
    zip: Django would pack each piece on its own, of which browsers read the first alone."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """The answer, packed where that is shorter."""
        if not isinstance(response, HttpResponse):
            return response
        if not takes_gzip(request):
            patch_vary_headers(response, ("Accept-Encoding",))
            return response
        packed: HttpResponseBase = super().process_response(request, response)
        return packed
