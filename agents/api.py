"""The HTTP API, each call one function; what it refuses is raised as its own sentence."""

import http.cookiejar
import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

TIMEOUT_S = 60


class Refused(Exception):
    """One sentence, with the remedy."""


class Service:
    """The service at `address`. Runs that are asked for belong to this object: it keeps the
    service's cookie."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener = urllib.request.build_opener(jar)

    def json(self, path: str, body: object = None) -> Any:
        """What a GET answers, or a POST of `body`. Raises Refused."""
        return json.loads(self._answer(path, body))

    def text(self, path: str) -> str:
        """Raises Refused."""
        return self._answer(path, None).decode()

    def link(self, path: str) -> str:
        """The address of one of the service's pages."""
        return self.address + path

    def _answer(self, path: str, body: object) -> bytes:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.address}/api/v1/{path}", data, headers)
        try:
            with self._opener.open(request, timeout=TIMEOUT_S) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            raise Refused(_sentence(error.read(), error.code)) from None
        except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
            why = getattr(error, "reason", error)
            raise Refused(
                f"Fuselab does not answer at {self.address}: {why}. Start it with `make run`, or "
                "name another address as the argument."
            ) from None


def _sentence(raw: bytes, status: int) -> str:
    try:
        error = json.loads(raw)["error"]
        return f"{error['message']} {error['remedy']}".strip()
    except (ValueError, KeyError, TypeError):
        return f"The service answered with status {status}."


def word(text: str) -> str:
    """A part of a path, whatever is in it."""
    return urllib.parse.quote(text, safe="")
