"""POST /api/v1/runs with bad input: the status, one sentence, and nothing stored."""

import json

import pytest

from compiler_core.report import MAX_SOURCE_BYTES
from webapp.runs.models import Run

pytestmark = pytest.mark.service


NOT_JSON = "The request body is not valid JSON: "
NOT_TEXT = "The request body is not UTF-8 text: "


def body(source="x = 1", **more):
    return json.dumps({"source": source, **more}).encode()


def options(**given):
    return body(options=given)


CASES = {
    "empty body": (b"", 400, "The request body is empty."),
    "cut off": (b'{"source": "x"', 400, NOT_JSON + "expecting ',' delimiter at line 1, column 15."),
    "not JSON": (b"source=x", 400, NOT_JSON + "expecting value at line 1, column 1."),
    "not UTF-8": (b'{"source": "\xff"}', 400, NOT_TEXT + "byte 12 cannot be read."),
    "random bytes": (bytes(range(128, 256)), 400, NOT_TEXT + "byte 0 cannot be read."),
    "half a character": (
        b'{"source": "\\ud800"}',
        400,
        NOT_JSON
        + "it holds a number or a character that no text can, such as NaN or half of a pair.",
    ),
    "many digits": (
        b"1" * 5000,
        400,
        NOT_JSON + "it holds a number of more than 4,300 digits.",
    ),
    "many digits within": (
        b'{"source": "x", "options": {"devices": ' + b"9" * 5000 + b"}}",
        400,
        NOT_JSON + "it holds a number of more than 4,300 digits.",
    ),
    "nested": (b"[" * 100_000, 400, NOT_JSON + "it is nested too deep."),
    "many lists": (
        b'{"source": "x", "options": [' + b"[]," * 50_000 + b"[]]}",
        413,
        "The request body has 150,012 characters outside of its texts; at most 131,072 are taken.",
    ),
    "many fields": (
        json.dumps(dict.fromkeys(map(str, range(50_000)), 0), separators=(",", ":")).encode(),
        413,
        "The request body has 150,001 characters outside of its texts; at most 131,072 are taken.",
    ),
    "a list": (b"[]", 422, "The request body cannot be []."),
    "unknown field": (body(sauce=1), 422, 'The field "sauce" is not known.'),
    "no source": (b"{}", 422, "The source is missing."),
    "null source": (b'{"source": null}', 422, "The source is missing."),
    "a number as source": (body(5), 422, "The source cannot be 5."),
    "empty source": (body(""), 422, "The source is empty."),
    "blank source": (body(" \n\t"), 422, "The source is empty."),
    "binary source": (
        body("a\n\0"),
        422,
        "The source has a NUL character in line 2: it is not the text of a program.",
    ),
    "long source": (
        body("x" * 1_000_000),
        413,
        "The source is 1,000,000 bytes long; at most 262,144 are taken.",
    ),
    "a long source of quotes": (
        body('"\\' * 200_000),
        413,
        "The source is 400,000 bytes long; at most 262,144 are taken.",
    ),
    "long in UTF-8": (
        body("é" * (MAX_SOURCE_BYTES // 2 + 1)),
        413,
        "The source is 262,146 bytes long; at most 262,144 are taken.",
    ),
    "long body": (b" " * 2_097_153, 413, "The request body is longer than 2,097,152 bytes."),
    "options are text": (body(options="fast"), 422, 'The options cannot be "fast".'),
    "unknown option": (options(speed=9), 422, 'The option "speed" is not known.'),
    "unknown target": (options(target="sm_20"), 422, 'The option target cannot be "sm_20".'),
    "unknown device": (options(device="tpu"), 422, 'The option device cannot be "tpu".'),
    "unknown compiler": (
        options(compilers=["gcc"]),
        422,
        'The option compilers cannot be ["gcc"].',
    ),
    "compilers as text": (options(compilers="core"), 422, 'The option compilers cannot be "core".'),
    "unknown override": (
        options(overrides=[{"type": "unfuse"}]),
        422,
        'The option overrides cannot be [{"type":"unfuse"}].',
    ),
    "half an override": (
        options(overrides=[{"type": "forbid", "from": "0"}]),
        422,
        'The option overrides cannot be [{"type":"forbid","from":"0"}].',
    ),
    "measure as a number": (options(measure=1), 422, "The option measure cannot be 1."),
    "no target": (options(target=None), 422, "The option target is missing."),
    "inputs": (
        options(inputs="f32[3,"),
        422,
        'The inputs cannot be read: "f32[3," is not closed (column 1).',
    ),
    "long inputs": (
        options(inputs="f" * 5000),
        422,
        f'The option inputs cannot be "{"f" * 39}....',
    ),
    "a NUL in the inputs": (
        options(inputs="f('a\0')"),
        422,
        "The option inputs cannot be \"f('a\\u0000')\".",
    ),
    "a NUL in an override": (
        options(overrides=[{"type": "without", "name": "\0"}]),
        422,
        'The option overrides cannot be [{"type":"without","name":"\\u0000"}].',
    ),
    "fresh as text": (body(fresh="yes"), 422, 'The fresh cannot be "yes".'),
}


@pytest.mark.parametrize("case", CASES)
def test_a_request_is_refused(server, alice, case):
    sent, status, message = CASES[case]
    answer = alice.post("/api/v1/runs", sent, content_type="application/json")
    error = answer.json()["error"]
    assert (answer.status_code, error["message"]) == (status, message)
    assert error["remedy"].endswith(".")
    assert error["input"]
    assert not Run.objects.exists()


def test_the_values_there_are_stand_in_the_remedy(server, alice):
    answer = alice.post("/api/v1/runs", options(target="sm_20"), content_type="application/json")
    assert answer.json()["error"] == {
        "message": 'The option target cannot be "sm_20".',
        "remedy": "Choose one of auto, none, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120, gfx942.",
        "input": "options.target",
    }


def test_the_service_goes_on_after_every_bad_request(server, alice):
    for sent, _, _ in CASES.values():
        alice.post("/api/v1/runs", sent, content_type="application/json")
    good = alice.post("/api/v1/runs", body(), content_type="application/json")
    assert good.status_code == 201
