"""What docs/performance.md says of the cost model: from what `bench.model` and `bench.decisions`
wrote."""

from collections.abc import Iterator
from typing import Any

# Of the choices that were predicted worst, and of the decisions.
_WORST = 10


def of_model(recorded: dict[str, Any]) -> Iterator[str]:
    """Predicted against measured times, by strategy, and the worst of all."""
    choices, correlation = recorded["choices"], recorded["correlation"]
    when = f" on {recorded['date'][:10]}" if "date" in recorded else ""
    yield (
        f"{len(choices)} launches of the suite's programs ({recorded['only']}) were timed{when}, "
        "and stand in the record beside the cost by which each was chosen. The rank correlation of "
        f"both is **{correlation:.2f}**, of 0.9 that are wanted."
    )
    yield ""
    yield "| strategy | launches | measured / predicted: quartiles | of the floor | correlation |"
    yield "| --- | --- | --- | --- | --- |"
    for s in recorded["strategies"]:
        quartiles = f"{s['low']:.2f}, {s['middle']:.2f}, {s['high']:.2f}"
        own = [_number(s["of_floor"]), _number(s["correlation"])]
        yield f"| {s['name']} | {s['choices']} | {quartiles} | {own[0]} | {own[1]} |"
    yield ""
    yield "Predicted worst:"
    yield ""
    yield "| program | kernel | strategy | predicted us | measured us |"
    yield "| --- | --- | --- | --- | --- |"
    for c in sorted(choices, key=_off, reverse=True)[:_WORST]:
        times = f"{_number(c['predicted_us'])} | {_number(c['measured_us'])}"
        yield f"| {c['program']} | {c['kernel']} | {c['strategy']} | {times} |"


def _off(choice: dict[str, Any]) -> float:
    """How many times longer or shorter than predicted."""
    ratio = choice["measured_us"] / choice["predicted_us"]
    return max(ratio, 1 / ratio)


def of_decisions(recorded: dict[str, Any]) -> Iterator[str]:
    """What was decided otherwise and was faster each time."""
    every = recorded["decisions"]
    wrong = sorted((d for d in every if d["contradicted"]), key=lambda d: -d["ratio"])
    of = {d["program"] for d in every}
    yield (
        f"{len(every)} decisions of {len(of)} programs ({recorded['only']}) were taken otherwise, "
        f"one at a time, on {recorded['device']['name']}: edges "
        "within a kernel that most bytes go over, fusions that cost too much by the model, and "
        "schedules that it finds up to three times as dear. "
        f"{len(wrong)} were faster so, measured twice in turns:"
    )
    yield ""
    yield "| program | decided | otherwise, times as fast |"
    yield "| --- | --- | --- |"
    for d in wrong:
        what = d["what"].replace("|", "\\|")
        yield f"| {d['program']} | {what} | {d['ratio']:.2f} |"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}" if value < 100 else f"{value:.0f}"
