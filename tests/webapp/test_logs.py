"""Log records as lines and as JSON, with the run that they are of."""

import json
import logging
import os
import subprocess
import sys

import pytest
from django.http import HttpResponse
from django.utils.log import log_response

from launcher.printing import printer
from webapp import logs


def record(message, **more):
    return logging.LogRecord(
        "worker.service", logging.WARNING, "f.py", 1, message, (), None, **more
    )


def test_a_record_is_one_object_of_json_with_its_run():
    with logs.during("abc"):
        said = json.loads(logs.Json().format(record("it\nfell")))
    assert said.pop("time").endswith("+00:00")
    assert said == {
        "level": "WARNING",
        "logger": "worker.service",
        "message": "it\nfell",
        "run": "abc",
    }


def test_a_traceback_is_in_it():
    failed = record("it fell")
    try:
        raise ValueError("why")
    except ValueError:
        failed.exc_info = sys.exc_info()
    line = logs.Json().format(failed)
    assert "\n" not in line
    assert json.loads(line)["traceback"].endswith("ValueError: why")


def test_a_line_names_the_run_once():
    assert logs.Lines().format(record("it fell")) == "WARNING worker.service: it fell"
    with logs.during("abc"):
        assert logs.Lines().format(record("it fell")).endswith("it fell [run abc]")
        assert logs.Lines().format(record("run abc fell")).endswith("run abc fell")


def test_outside_a_run_none_is_named():
    assert "run" not in json.loads(logs.Json().format(record("it fell")))


def test_a_503_that_is_meant_is_no_error_and_one_that_fell_is(rf, logged):
    log_response("not ready", response=HttpResponse(status=503), request=rf.get("/readyz"))
    error = ValueError("why")
    log_response("it fell", response=HttpResponse(status=500), request=rf.get("/"), exception=error)
    assert [each.getMessage() for each in logged] == ["it fell"]


_STARTS = """
import {module}
import logging
import os
import subprocess
from django.conf import settings
{then}
for name in ("uvicorn.access", "uvicorn.error", "celery.worker", "kombu", "worker.service"):
    logging.getLogger(name).warning("said by %s", name)
"""
_WEB = "import django; django.setup(); from webapp.serve import config; config('127.0.0.1', 1)"
_WORKER = "import django; django.setup(); worker.app.app.log.setup(loglevel='INFO')"


@pytest.mark.parametrize(("module", "then"), [("webapp.serve", _WEB), ("worker.app", _WORKER)])
def test_with_json_whatever_logs_is_one_object_a_line(module, then):
    source = _STARTS.format(module=module, then=then)
    done = subprocess.run(
        [sys.executable, "-c", source],
        env={**os.environ, "FUSELAB_LOG": "json", "DJANGO_SETTINGS_MODULE": "webapp.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    said = [json.loads(line)["message"] for line in (done.stdout + done.stderr).splitlines()]
    assert [each for each in said if each.startswith("said by")] == [
        f"said by {name}"
        for name in ("uvicorn.access", "uvicorn.error", "celery.worker", "kombu", "worker.service")
    ]


def test_the_launcher_passes_objects_on_and_makes_one_of_any_other_line(monkeypatch, capsys):
    monkeypatch.setenv("FUSELAB_LOG", "json")
    say = printer(("web", "redis"))
    say("web", '{"message": "x"}')
    say("redis", "ended")
    first, second = capsys.readouterr().out.splitlines()
    assert json.loads(first) == {"message": "x"}
    assert json.loads(second) == {"level": "INFO", "logger": "redis", "message": "ended"}
