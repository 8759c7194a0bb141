"""A check that runs: a function held against the reference over hidden inputs, in the sandbox."""

import json
import time
import urllib.request
from typing import Any

from tests.browser import api

TOML = """title = "Twice"
text = "Return twice what is given."
[[check]]
kind = "equal"
function = "twice"
inputs = "f32[33,5]"
"""
SNIPPET = "# inputs: f32[8]\ndef twice(x):\n    return {}\n"


def asked(url: str, token: str, content: object, method: str = "POST") -> Any:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    body = json.dumps(content).encode()
    request = urllib.request.Request(url, body, headers, method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read() or b"null")


def checked(stack: str, address: str, token: str, returned: str) -> Any:
    """What an attempt came to, with a function that returns this."""
    wanted = {"source": SNIPPET.format(returned), "options": {"measure": False}}
    run = asked(f"{stack}/api/v1/runs", token, wanted)["id"]
    until = time.monotonic() + api.PATIENCE_S
    while api.asked(f"{stack}/api/v1/runs/{run}?texts=none")["state"] in ("queued", "running"):
        assert time.monotonic() < until
        time.sleep(0.2)
    while (made := asked(f"{address}/attempts", token, {"run": run}))["pending"]:
        assert time.monotonic() < until
        time.sleep(0.2)
    return made


def test_a_function_is_held_against_the_reference(live_stack: str) -> None:
    rooms = f"{live_stack}/api/v1/workshops"
    room = api.asked(rooms, {"title": "Fusion", "name": "Lena"})
    address, token = f"{rooms}/{room['code']}/exercises/twice", room["token"]
    files = {"toml": TOML, "start": SNIPPET.format("x"), "reference": SNIPPET.format("x + x")}
    asked(address, token, files, "PUT")
    made = checked(live_stack, address, token, "2 * x")
    assert made["passed"], made
    [result] = checked(live_stack, address, token, "2 * abs(x)")["results"]
    assert result["says"].startswith("Over hidden inputs it is not the reference: a value is ")
    [result] = checked(live_stack, address, token, "x + x if x.shape[0] == 8 else 1 / 0")["results"]
    assert result["says"].startswith("Over hidden inputs it came to nothing: "), result
