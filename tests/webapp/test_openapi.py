"""The OpenAPI document and its page."""

import re

import msgspec
import pytest


@pytest.fixture
def document(bob):
    return bob.get("/api/v1/openapi.json").json()


def test_every_operation_of_the_contract_is_there(document):
    operations = {(m, path) for path, item in document["paths"].items() for m in item}
    assert {each for each in operations if "/workshops" not in each[1]} == {
        ("post", "/api/v1/runs"),
        ("get", "/api/v1/runs"),
        ("get", "/api/v1/runs/{run_id}"),
        ("patch", "/api/v1/runs/{run_id}"),
        ("get", "/api/v1/runs/{run_id}/source"),
        ("put", "/api/v1/runs/{run_id}/card"),
        ("delete", "/api/v1/runs/{run_id}"),
        ("get", "/api/v1/runs/{run_id}/compare/{other_id}"),
        ("post", "/api/v1/runs/{run_id}/cancel"),
        ("post", "/api/v1/runs/{run_id}/share"),
        ("get", "/api/v1/runs/{run_id}/artifacts"),
        ("get", "/api/v1/runs/{run_id}/artifacts/{path}"),
        ("get", "/api/v1/runs/{run_id}/texts/{sha256}"),
        ("get", "/api/v1/examples"),
        ("get", "/api/v1/examples/first"),
        ("get", "/api/v1/courses"),
        ("get", "/api/v1/courses/{name}/course.zip"),
        ("get", "/api/v1/toolchains"),
        ("get", "/api/v1/health"),
    }


def test_every_operation_of_a_workshop_is_there(document):
    base = "/api/v1/workshops"
    paths = {path: set(item) for path, item in document["paths"].items() if base in path}
    assert paths == {
        base: {"post"},
        f"{base}/{{code}}": {"get", "patch"},
        f"{base}/{{code}}/door": {"get"},
        f"{base}/{{code}}/join": {"post"},
        f"{base}/{{code}}/leave": {"post"},
        f"{base}/{{code}}/seat": {"patch"},
        f"{base}/{{code}}/seat/sent-back": {"get"},
        f"{base}/{{code}}/text": {"get"},
        f"{base}/{{code}}/seats/{{seat_id}}": {"delete", "patch"},
        f"{base}/{{code}}/handout": {"get", "post"},
        f"{base}/{{code}}/handouts": {"get"},
        f"{base}/{{code}}/handouts/{{number}}": {"get"},
        f"{base}/{{code}}/exercises/{{name}}/runs": {"post"},
        f"{base}/{{code}}/qr.svg": {"get"},
        f"{base}/{{code}}/home.zip": {"get"},
        f"{base}/{{code}}/deck": {"get", "patch"},
        f"{base}/{{code}}/deck/{{page}}/{{block}}": {"put"},
        f"{base}/{{code}}/course.zip": {"get", "put"},
        f"{base}/{{code}}/exercises": {"get"},
        f"{base}/{{code}}/exercises/{{name}}": {"put", "delete"},
        f"{base}/{{code}}/exercises/{{name}}/hints/{{number}}": {"post"},
        f"{base}/{{code}}/exercises/{{name}}/attempts": {"post"},
        f"{base}/{{code}}/board": {"get"},
    }


def test_every_name_it_refers_to_is_there(document):
    text = msgspec.json.encode(document).decode()
    named = set(re.findall(r'"#/components/schemas/([^"]+)"', text))
    assert {"NewRun", "Options", "RunView", "Report", "Program", "ErrorBody"} <= named
    assert named <= document["components"]["schemas"].keys()


def test_a_request_is_described_by_the_type_that_reads_it(document):
    schema = document["components"]["schemas"]["Options"]
    assert schema["properties"]["target"]["enum"] == sorted(
        ["auto", "none", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120", "gfx942"]
    )


def test_the_page_loads_nothing_from_elsewhere(bob):
    page = bob.get("/api/v1/docs").content.decode()
    assert "swagger-ui" in page
    assert "//" not in re.sub(r"<!--.*?-->", "", page).replace("</", "")
