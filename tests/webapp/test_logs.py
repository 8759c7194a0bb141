"""Log records as lines and as JSON, with the run that they are of."""

import json
import logging
import sys

from django.http import HttpResponse
from django.utils.log import log_response

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
