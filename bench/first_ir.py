"""Time until the first IR: `python -m bench.first_ir [--url http://127.0.0.1:8000] [--runs 20]`.

On a Fuselab that runs and is warm (`make run`): from the request that makes a run of `gelu(x + b)`
to the event with its captured IR over the WebSocket, as the page waits for it. Nothing is measured
by the runs themselves.
"""

import argparse
import json
import statistics
import time
import urllib.request
from collections.abc import Sequence

from websockets import Origin
from websockets.sync.client import connect

SOURCE = """# inputs: f32[4096,1024], f32[1024]
import torch.nn.functional as F

def f(x, b):
    return F.gelu(x + b)
"""
_SECONDS = 60
_WARMING = 3


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.first_ir", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--runs", type=int, default=20)
    args = parser.parse_args()
    took = [first_ir_ms(args.url.rstrip("/"), n) for n in range(_WARMING + args.runs)][_WARMING:]
    print(summary(took))
    return 0


def summary(took: Sequence[float]) -> str:
    """The median and the quartiles of at least two times, in milliseconds."""
    low, middle, high = statistics.quantiles(took, n=4)
    return f"first IR after {middle:.0f} ms (quartiles {low:.0f} to {high:.0f}, {len(took)} runs)"


def first_ir_ms(url: str, number: int) -> float:
    """Milliseconds from the request to the first IR of one run; waits until the run is over.
    `number` makes the snippet one that nobody has run. Raises OSError where nothing answers."""
    source = f"{SOURCE}# {time.time_ns()} {number}\n"
    body = json.dumps({"source": source, "options": {"measure": False}}).encode()
    start = time.perf_counter()
    id_ = json.loads(_post(f"{url}/api/v1/runs", body))["id"]
    address = url.replace("http", "ws", 1)
    with connect(f"{address}/ws/runs/{id_}/", origin=Origin(url), max_size=None) as socket:
        for message in socket:
            if has_ir(json.loads(message)):
                took = (time.perf_counter() - start) * 1e3
                break
        else:
            raise RuntimeError(f"run {id_} ended without an IR")
        for _ in socket:
            pass
    return took


def _post(url: str, body: bytes) -> bytes:
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
        content: bytes = answer.read()
    return content


def has_ir(message: dict[str, object]) -> bool:
    """Whether a message of the WebSocket is the event of a stage that shows an IR."""
    event = message.get("event")
    if not isinstance(event, dict) or event.get("type") != "stage_done":
        return False
    return any(artifact["kind"] == "ir" for artifact in event["stage"]["artifacts"])


if __name__ == "__main__":
    raise SystemExit(main())
