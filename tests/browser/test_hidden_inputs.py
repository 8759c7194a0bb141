"""A check that runs: a function held against the reference over hidden inputs, in the sandbox."""

import json
import time
import urllib.request
from typing import Any

import pytest

from tests.browser import api

TOML = """title = "Twice"
call = "twice(f32[33,5])"
text = "Return twice what is given."
[[check]]
kind = "bytes"
at_most = 1320
[[check]]
kind = "equal"
"""
# What it calls itself counts for nothing.
SNIPPET = "# inputs: f32[2]\nimport torch\ndef twice(x):\n    return {}\ntwice(torch.ones(2))\n"


def asked(url: str, token: str, content: object, method: str = "POST") -> Any:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    body = json.dumps(content).encode()
    request = urllib.request.Request(url, body, headers, method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read() or b"null")


# What it says of itself, in its own process: other outputs, and other figures, than it has.
FORGED = {
    "outputs": (
        "x + 1",
        "outputs.outputs_of = lambda made, _, x: {n: [2 * torch.as_tensor(x[0])] for n in made}",
    ),
    "figures": (
        "x @ (2 * torch.eye(x.shape[-1]))",
        "figures.Figure = lambda *_, **__: report.Figure(1)",
    ),
}
FORGING = "from compiler_core import report\nfrom compiler_core.pipeline import figures, outputs\n"


def checked(stack: str, address: str, token: str, returned: str, before: str = "") -> Any:
    """What an attempt came to, with a function that returns this."""
    source = SNIPPET.format(returned).replace("def ", f"{before}def ", 1)
    run = asked(f"{address}/runs", token, {"source": source})["id"]
    return settled(stack, address, token, run)


def settled(stack: str, address: str, token: str, run: str) -> Any:
    """What the attempt with this run came to."""
    until = time.monotonic() + api.PATIENCE_S
    while api.asked(f"{stack}/api/v1/runs/{run}?texts=none")["state"] in ("queued", "running"):
        assert time.monotonic() < until
        time.sleep(0.2)
    while (made := asked(f"{address}/attempts", token, {"run": run}))["pending"]:
        assert time.monotonic() < until
        time.sleep(0.2)
    return made


def opened(stack: str) -> tuple[str, str]:
    """The address of the exercise in a new room, and its leader's token."""
    rooms = f"{stack}/api/v1/workshops"
    room = api.asked(rooms, {"title": "Fusion", "name": "Lena"})
    address, token = f"{rooms}/{room['code']}/exercises/twice", room["token"]
    files = {"toml": TOML, "start": SNIPPET.format("x"), "reference": SNIPPET.format("x + x")}
    asked(address, token, files, "PUT")
    return address, token


def test_a_function_is_held_against_the_reference(live_stack: str) -> None:
    address, token = opened(live_stack)
    made = checked(live_stack, address, token, "2 * x")
    assert made["passed"], made
    assert made["results"][1]["says"].endswith(", compiled by itself, apart from your text.")
    told = checked(live_stack, address, token, "2 * abs(x)")["results"]
    assert told[0]["passed"], told
    assert told[1]["says"].startswith("Over hidden inputs it is not the reference: a value is ")
    told = checked(live_stack, address, token, "x + x if x.shape[0] == 2 else 1 / 0")["results"]
    assert all("division by zero" in each["says"] for each in told), told
    # Fewer bytes by smaller outputs, or by what was prepared for the numbers of another run.
    for cheat in ("2 * x[:8]", "torch.ones(33, 5)"):
        few, other = checked(live_stack, address, token, cheat)["results"]
        assert few["passed"] and not other["passed"], other


@pytest.mark.parametrize("forged", FORGED)
def test_what_a_text_says_of_itself_in_its_own_process_is_held_against_its_program(
    live_stack: str, forged: str
) -> None:
    address, token = opened(live_stack)
    returned, forging = FORGED[forged]
    few, equal = checked(live_stack, address, token, returned, f"{FORGING}{forging}\n")["results"]
    assert few["passed"], few
    assert not equal["passed"]
    assert "compiled by itself, apart from your text" in equal["says"].lower()


def test_a_run_of_other_sizes_says_both(live_stack: str) -> None:
    address, token = opened(live_stack)
    options = {"measure": False, "inputs": "twice(f32[2])"}
    wanted = {"source": SNIPPET.format("2 * x"), "options": options}
    made = settled(
        live_stack, address, token, asked(f"{live_stack}/api/v1/runs", token, wanted)["id"]
    )
    says = "This run was called with twice(f32[2]), and the exercise is about twice(f32[33,5]): "
    assert not made["passed"]
    assert [each["says"] for each in made["results"]] == [f"{says}press Check."] * 2
