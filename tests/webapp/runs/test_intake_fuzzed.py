"""Whatever is posted as a run is one, or is refused with a sentence and a remedy."""

import json
import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import fields

from compiler_core import report
from tests.sweep_plugin import thinned
from webapp.errors import Refusal
from webapp.runs import intake
from webapp.runs.wire import NewRun

NAMES = st.sampled_from([field.name for field in fields(report.Options)])
LEAF = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
VALUE = st.recursive(
    LEAF,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
SPECS = st.text(st.sampled_from(string.ascii_lowercase + string.digits + "[](),=;. \n\0é"))
OPTIONS = st.dictionaries(NAMES | st.text(max_size=8), VALUE | SPECS, max_size=4)
TOP = st.fixed_dictionaries(
    {}, optional={"source": VALUE | st.just("x = 1"), "options": OPTIONS | VALUE, "fresh": VALUE}
)
seeded = settings(max_examples=200, derandomize=True, deadline=None, database=None)


def read(body: bytes) -> NewRun | Refusal:
    found = intake.read(body)
    if isinstance(found, Refusal):
        assert found.status in (400, 413, 422)
        assert found.message and found.remedy
        assert len(found.message) < 400
    return found


@seeded
@given(st.binary())
@example(b"1" * 5000)
@example(b"-1e99999")
@example(b'{"source": "x", "options": {"devices": 1e400}}')
@example(b'{"a": ' * 2000)
@example(b'"\\ud800"')
def test_any_bytes(body):
    read(body)


@pytest.mark.parametrize("examples", thinned((50, 200), kept=(50,)))
def test_any_json(examples):
    @settings(seeded, max_examples=examples)
    @given(TOP)
    def is_read(body):
        read(json.dumps(body).encode())

    is_read()


@seeded
@given(OPTIONS)
def test_any_options(options):
    read(json.dumps({"source": "x = 1", "options": options}).encode())


@seeded
@given(SPECS)
def test_any_inputs(text):
    read(json.dumps({"source": "x = 1", "options": {"inputs": text}}).encode())


@pytest.mark.parametrize("name", [field.name for field in fields(report.Options)])
def test_every_option_is_refused_by_its_name(name):
    wrong = {"source": "x = 1", "options": {name: {"no": "such"}}}
    refused = read(json.dumps(wrong).encode())
    assert isinstance(refused, Refusal)
    assert refused.input.startswith(f"options.{name}")
