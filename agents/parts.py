"""The parts of a report that an agent reads one at a time: a whole report is megabytes."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]

# Entries of a list beyond which somebody asks for less of it.
MOST = 100


def summary(program: Json) -> Json:
    """What a program came to: launches and bytes before and after, how many kernels there are of
    which some are launched more than once, times, whether it is right."""
    counts = program["summary"]
    return {
        "name": program["name"],
        "framework": program["framework"],
        "inputs": program["inputs"],
        "status": program["status"],
        "error": program["error"],
        "operations": counts["ops_captured"],
        "launches": {"eager": counts["launches_eager"], "core": counts["launches_core"]},
        "kernels": _kernels(program),
        "bytes": {"eager": counts["bytes_eager"], "core": counts["bytes_core"]},
        "times": timings(program)["times"],
        "fastest": (program["measurement"] or {}).get("fastest", []),
        "right": {name: numbers["ok"] for name, numbers in program["numerics"].items()},
        "reasons": [f"{each['what']} ({each['count']})" for each in why(program)["reasons"]][:20],
    }


def _kernels(program: Json) -> int:
    """Different kernels that the core made for the device that ran: equal launches share one, and
    a library's are not its own."""
    own = [k for k in program["kernels"] if k["backend"] in ("", program["backend"])]
    return len({(k["graph"], k["same_as"] or k["id"]) for k in own if k["library"] is None})


def timings(program: Json) -> Json:
    """Medians and quartiles in microseconds, the speedup over eager with its 95 % interval, and how
    it was measured."""
    shown = ("median_us", "p25_us", "p75_us", "speedup", "speedup_low", "speedup_high", "verdict")
    measured = program["timings"].items()
    times = {name: {field: timing[field] for field in shown} for name, timing in measured}
    return {"times": times, "measurement": program["measurement"]}


def kernels(program: Json) -> Json:
    """Each launch: what it computes, reads and writes, and how it was scheduled; `same_as` is the
    launch before it whose kernel it has."""
    shown = ("id", "same_as", "kind", "library", "ops", "lines", "bytes_read", "bytes_written")
    found = [
        {field: kernel[field] for field in (*shown, "flops", "reason", "graph", "backend")}
        | {"schedule": (kernel["schedule"] or {}).get("name", "")}
        for kernel in program["kernels"]
    ]
    return {"launches": found[:MOST], "of": len(found)}


def why(program: Json) -> Json:
    """What compilers did otherwise than hoped for, by reason: graph breaks, recompiles, library
    calls, what was not fused; with lines and remedies."""
    groups: dict[tuple[str, ...], list[Json]] = defaultdict(list)
    for each in program["findings"]:
        key = (each["kind"], each["compiler"], each["why"] or each["what"], each["remedy"])
        groups[key].append({"line": each["line"], "count": each["count"]})
    for each in program["graph_breaks"]:
        groups["graph break", "dynamo", each["reason"], ""].append({"line": each["line"]})
    for each in program["fusion_refusals"]:
        groups["not fused", "core", each["reason"], ""].append(
            {"edge": f"{each['from']} -> {each['to']}"}
        )
    reasons = [_reason(key, entries) for key, entries in groups.items()]
    return {"reasons": reasons[:MOST], "of": len(reasons)}


def _reason(key: tuple[str, ...], entries: list[Json]) -> Json:
    kind, compiler, words, remedy = key
    lines = {entry["line"] for entry in entries if entry.get("line") is not None}
    return {
        "what": kind,
        "compiler": compiler,
        "why": words,
        "remedy": remedy,
        "count": sum(entry.get("count", 1) for entry in entries),
        "lines": sorted(lines),
        "edges": [entry["edge"] for entry in entries if "edge" in entry][:20],
    }


def numerics(program: Json) -> Json:
    """Errors against the same program in float64, by compiler and by kernel."""
    return {"numerics": program["numerics"], "kernels": program["kernel_errors"][:MOST]}


def stages(program: Json) -> Json:
    """Every stage and pass in order, what it did and how long it took."""
    shown = ("name", "kind", "status", "ms", "changed", "summary", "compiler", "graph", "backend")
    found = [{field: stage[field] for field in shown} for stage in program["stages"]]
    return {"stages": found[:MOST], "of": len(found)}


PARTS: dict[str, Callable[[Json], Json]] = {
    "summary": summary,
    "timings": timings,
    "kernels": kernels,
    "why": why,
    "numerics": numerics,
    "stages": stages,
}
