"""What people in a workshop do, each by one call of the API."""

from typing import Any

from django.test import Client

JSON = "application/json"
BASE = "/api/v1/workshops"


def opened(leader: Client, **wanted: Any) -> str:
    """The code of a new workshop that `leader` leads."""
    answer = leader.post(BASE, {"title": "Fusion", "name": "Lena"} | wanted, content_type=JSON)
    assert answer.status_code == 201, answer.content
    return str(answer.json()["code"])


def join(person: Client, code: str, name: str = "Sam", **wanted: Any) -> Any:
    """The answer to somebody who wants to come in."""
    return person.post(f"{BASE}/{code}/join", {"name": name} | wanted, content_type=JSON)


def change(person: Client, code: str, what: str = "", **fields: Any) -> Any:
    """The answer to a change of the workshop, or of the "/seat" in it."""
    return person.patch(f"{BASE}/{code}{what}", fields, content_type=JSON)


def room(person: Client, code: str) -> Any:
    """The workshop as somebody in it sees it."""
    answer = person.get(f"{BASE}/{code}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def names(person: Client, code: str) -> list[str]:
    """Who is in it."""
    return [seat["name"] for seat in room(person, code)["seats"]]
