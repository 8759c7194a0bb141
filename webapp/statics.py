"""Static files, also where they come and go after the server has begun."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware


class StaticFiles(WhiteNoiseMiddleware):
    """WhiteNoise looks for files once, when the server begins. The page may be built anew while it
    runs: its manifest, which is read each time, then names files that nobody has looked for, and
    a tab that is open asks for files that are gone."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The file at the path, else what the rest of the site answers."""
        path = request.path_info
        if path.startswith(self.static_prefix) and path not in self.files:
            self._look_for(path)
        try:
            answer: Any = super().__call__(request)
        except FileNotFoundError:
            if self.files.pop(path, None) is None:
                raise
            answer = super().__call__(request)
        return answer

    def _look_for(self, url: str) -> None:
        """Knows the file from now on, with what it was compressed to, where there is one."""
        found = self.find_file(url)
        if found is not None:
            self.files[url] = found
