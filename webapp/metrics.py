"""What Prometheus is told of this process, at a port of its own: each figure a row of one table.

Where no port is named nothing is counted, and the library is not loaded.
"""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

log = logging.getLogger(__name__)

_SECONDS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120)


class Metric(NamedTuple):
    """A figure: its kind, what it says, and what it is told apart by."""

    kind: Literal["counter", "gauge", "histogram"]
    says: str
    labels: tuple[str, ...] = ()


METRICS = {
    # Of a web process.
    "fuselab_asked_total": Metric(
        "counter", "Runs asked for: new, or found to be there", ("queue", "found")
    ),
    "fuselab_requests_seconds": Metric(
        "histogram", "From a request to the end of its answer", ("kind", "status")
    ),
    "fuselab_sockets": Metric("gauge", "Pages that follow a run"),
    "fuselab_sockets_refused_total": Metric("counter", "Sockets of foreign pages, or too many"),
    "fuselab_sent_bytes_total": Metric("counter", "Bytes of answers' bodies", ("kind",)),
    "fuselab_waiting": Metric("gauge", "Runs that wait, when asked", ("queue",)),
    "fuselab_stored_bytes": Metric("gauge", "What all runs take, when asked"),
    # Of a worker.
    "fuselab_wait_seconds": Metric("histogram", "From the request to the start", ("queue",)),
    "fuselab_run_seconds": Metric("histogram", "From the start to the end", ("queue", "state")),
    "fuselab_stage_seconds": Metric("histogram", "Stages by what is made in them", ("kind",)),
    "fuselab_ended_by_total": Metric(
        "counter", "Runs that were ended from outside, by the limit or what else did it", ("by",)
    ),
    "fuselab_under_way": Metric("gauge", "Runs under way"),
    "fuselab_standing": Metric("gauge", "Of these, runs that stand still after their first IR"),
    "fuselab_received_bytes_total": Metric("counter", "Bytes that runners sent"),
}
# By name, once `serve` has been called.
_instruments: dict[str, Any] = {}


def serve(address: str) -> None:
    """Begins to count, and answers Prometheus at `address`, "host:port"; "": neither. One that
    cannot be had is logged: the service goes on without."""
    if not address or _instruments:
        return
    import prometheus_client as library

    kinds: dict[str, Callable[..., Any]] = {
        "counter": library.Counter,
        "gauge": library.Gauge,
        "histogram": partial(library.Histogram, buckets=_SECONDS),
    }
    host, _, port = address.rpartition(":")
    try:
        library.start_http_server(int(port), host or "127.0.0.1")
    except (OSError, ValueError, OverflowError) as error:
        log.error("no metrics at %s: %s", address, error)
        return
    for name, metric in METRICS.items():
        _instruments[name] = kinds[metric.kind](name, metric.says, metric.labels)
    log.info("metrics are at http://%s/metrics", address)


def count(name: str, amount: float = 1, **labels: str) -> None:
    """Adds to a counter, or to a gauge, which may be less than nothing."""
    if name in _instruments:
        _of(name, labels).inc(amount)


def observe(name: str, value: float, **labels: str) -> None:
    """Adds a value to a histogram."""
    if name in _instruments:
        _of(name, labels).observe(value)


def ask(name: str, what: Callable[[], float], **labels: str) -> None:
    """`what` is asked whenever Prometheus asks for the gauge."""
    if name in _instruments:
        _of(name, labels).set_function(what)


def _of(name: str, labels: dict[str, str]) -> Any:
    return _instruments[name].labels(**labels) if labels else _instruments[name]
