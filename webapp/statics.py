"""Static files, also where they come and go after the server has begun, piece by piece: the largest
has 11 MB, of which who reads slowly would hold all."""

from typing import Any

from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware

from webapp.threads import on_own_threads

# So much of a file is read at a time.
_BYTES = 2**16


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
        return _in_pieces(answer) if isinstance(answer, FileResponse) else answer

    def _look_for(self, url: str) -> None:
        """Knows the file from now on, with what it was compressed to, where there is one."""
        found = self.find_file(url)
        if found is not None:
            self.files[url] = found


def _in_pieces(answer: FileResponse) -> HttpResponseBase:
    """Django reads a file whole before it sends the first of it, where it is not asked piece by
    piece."""
    answer.block_size = _BYTES
    answer.streaming_content = on_own_threads(iter(answer.streaming_content))
    return answer
