"""Runs through the API, as a program asks for them."""

import json
import time
import urllib.request
from dataclasses import dataclass
from typing import Any

from compiler_core import report

# A run may have to wait for the other tests' processors.
PATIENCE_S = 240


@dataclass(frozen=True)
class Ended:
    """A run that is over: the state in which it ended, and where it is shown."""

    state: str
    report: report.Report
    address: str


def ended(stack: str, source: str, *, fresh: bool = False, **options: object) -> Ended:
    """Runs a snippet, unless this very run was made before and `fresh` is not given."""
    runs = f"{stack}/api/v1/runs"
    made = asked(runs, {"source": source, "options": options, "fresh": fresh})
    run = f"{runs}/{made['id']}"
    until = time.monotonic() + PATIENCE_S
    while (state := asked(f"{run}?texts=none")["state"]) in ("queued", "running"):
        assert time.monotonic() < until, state
        time.sleep(0.2)
    found = report.decode_report(json.dumps(asked(run)["report"]).encode())
    return Ended(state, found, made["url"])


def asked(url: str, content: object = None) -> Any:
    """What the API answers, to what is posted if anything is."""
    body = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)
