"""Requests that the OpenAPI document allows, and others: no answer is the server's mistake."""

import pytest
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, given, settings, strategies

from tests.sweep_plugin import thinned
from webapp.runs.api import router
from webapp.runs.models import Run


@pytest.fixture
def without_rate(monkeypatch):
    [throttle] = router.path_operations[""].operations[0].throttle_objects
    monkeypatch.setattr(throttle, "num_requests", 10**6)


@pytest.mark.service
@pytest.mark.parametrize("examples", thinned((5, 25), kept=(5,)))
def test_no_request_ends_in_a_500(examples, living_worker, without_rate, run: Run) -> None:
    # Importing it takes a second.
    import schemathesis

    # A zip is bytes like any others to whoever attacks.
    schemathesis.openapi.media_type("application/zip", strategies.binary(max_size=200))
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application())
    tried = set()
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=examples,
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def ask(case):
            for given_id in ("run_id", "other_id"):
                # Of all ids one leads further than to a 404.
                if given_id in (case.path_parameters or {}) and len(tried) % 2:
                    case.path_parameters[given_id] = run.pk
            answer = case.call()
            tried.add((case.path, answer.status_code, len(tried)))
            assert answer.status_code < 500, (case.as_curl_command(), answer.text)

        ask()
    assert {path for path, *_ in tried} == {path for path, *_ in _paths(schema)}
    assert {200, 404} <= {status for _, status, _ in tried}


def _paths(schema):
    return ((found.ok().path,) for found in schema.get_all_operations())
