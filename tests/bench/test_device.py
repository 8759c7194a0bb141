"""A benchmark runs on the device that it is told to."""

import argparse

import pytest

from bench import warm
from bench.__main__ import asked
from bench.options import add_options
from bench.suites import SUITES


def options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args(words)


@pytest.mark.parametrize(("words", "device"), [((), "cpu"), (("--device", "cuda"), "cuda")])
def test_what_is_asked_reaches_the_runs_options(monkeypatch, words, device):
    seen = []
    monkeypatch.setattr(
        warm.pipeline, "explore", lambda source, given, *_, **__: seen.append(given)
    )
    warm.explored(asked(SUITES["twelve"]()[0], options(*words)), 1)
    assert seen[0].device == device
