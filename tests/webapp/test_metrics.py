"""What Prometheus is told, over HTTP, and the dashboard that shows it."""

import json
import re
import urllib.request
from pathlib import Path

import pytest

from tests.ports import free_port
from webapp import metrics
from webapp.metered import kind, metered

ROOT = Path(__file__).resolve().parents[2]
DASHBOARD = ROOT / "docs" / "dashboard.json"
HOW_TO = ROOT / "docs" / "how-to" / "watch-the-service.md"


def test_nothing_is_counted_where_no_port_is_named(monkeypatch):
    monkeypatch.setattr(metrics, "_instruments", {})
    metrics.serve("")
    metrics.count("fuselab_sockets")
    assert metrics._instruments == {}


@pytest.mark.parametrize("document", [DASHBOARD, HOW_TO], ids=lambda path: path.name)
def test_what_is_shown_is_a_figure_that_there_is(document):
    named = set(re.findall(r"\bfuselab_\w+", document.read_text()))
    known = {re.sub(r"_(bucket|count|sum)$", "", name) for name in named}
    assert known - {"fuselab_"} <= metrics.METRICS.keys()


def test_the_dashboard_shows_every_figure():
    text = DASHBOARD.read_text()
    assert [name for name in metrics.METRICS if name not in text] == []
    ids = [panel["id"] for panel in json.loads(text)["panels"]]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(
    ("path", "of"),
    [("/static/x", "static"), ("/api/v1/runs", "api"), ("/readyz", "health"), ("/r/x", "page")],
)
def test_addresses_are_told_apart_as_four_kinds(path, of):
    assert kind(path) == of


@pytest.fixture
def told(monkeypatch):
    """What is read at the port."""
    import prometheus_client

    registry = prometheus_client.CollectorRegistry()
    for each in ("Counter", "Gauge", "Histogram"):
        made = getattr(prometheus_client, each)
        monkeypatch.setattr(
            prometheus_client,
            each,
            lambda *args, made=made, **more: made(*args, registry=registry, **more),
        )
    start = prometheus_client.start_http_server
    monkeypatch.setattr(
        prometheus_client, "start_http_server", lambda port, host: start(port, host, registry)
    )
    monkeypatch.setattr(metrics, "_instruments", {})
    port = free_port()
    metrics.serve(f"127.0.0.1:{port}")

    def read():
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            return answer.read().decode()

    return read


@pytest.mark.service
def test_figures_are_read_at_the_port(told):
    metrics.count("fuselab_asked_total", queue="cpu", found="new")
    metrics.count("fuselab_sockets")
    metrics.count("fuselab_sockets", -1)
    metrics.observe("fuselab_wait_seconds", 0.3, queue="cpu")
    metrics.ask("fuselab_stored_bytes", lambda: 7)
    text = told()
    assert 'fuselab_asked_total{found="new",queue="cpu"} 1.0' in text
    assert "fuselab_sockets 0.0" in text
    assert 'fuselab_wait_seconds_bucket{le="0.5",queue="cpu"} 1.0' in text
    assert "fuselab_stored_bytes 7.0" in text


@pytest.mark.service
async def test_a_requests_time_status_and_bytes_are_counted(told):
    async def inner(scope, receive, send):
        await send({"type": "http.response.start", "status": 404})
        await send({"type": "http.response.body", "body": b"no"})

    async def send(message):
        pass

    await metered(inner)({"path": "/api/v1/nothing"}, None, send)
    text = told()
    assert 'fuselab_requests_seconds_count{kind="api",status="404"} 1.0' in text
    assert 'fuselab_sent_bytes_total{kind="api"} 2.0' in text


@pytest.mark.service
def test_a_port_that_cannot_be_had_is_logged_and_the_service_goes_on(monkeypatch, logged):
    monkeypatch.setattr(metrics, "_instruments", {})
    monkeypatch.setattr(metrics.log, "propagate", True)
    monkeypatch.setattr(metrics.log.parent, "propagate", True)
    metrics.serve("127.0.0.1:99999999")
    assert any("no metrics at 127.0.0.1:99999999" in each.getMessage() for each in logged)
    assert metrics._instruments == {}
