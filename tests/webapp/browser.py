"""A client that reads all of an answer, also of one that is sent piece by piece."""

import warnings
from functools import partial
from typing import Any

from django.http import HttpResponse
from django.test import Client


class Browser(Client):
    """Django's client, whose answers are whole."""

    def request(self, **given: Any) -> Any:
        answer: Any = super().request(**given)
        if not answer.streaming:
            return answer
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            whole: Any = HttpResponse(b"".join(answer), status=answer.status_code)
        whole.headers, whole.cookies, whole.client = answer.headers, answer.cookies, self
        whole.json = partial(self._parse_json, whole)
        return whole
