"""Prints and warnings of a snippet, as they happen."""

import sys

import pytest

from compiler_core.report import Printed
from compiler_core.snippet.output import stream, suppress
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

PROGRAM = "import torch\ntorch.compile(torch.sin)(torch.ones(2))\n"


def test_prints_are_told_by_stream():
    found = explore(PROGRAM + "import sys\nprint('out')\nprint('err', file=sys.stderr)\n")
    assert (found.stdout, found.stderr) == ("out\n", "err\n")


def test_a_line_without_an_end_is_told_too():
    assert explore(PROGRAM + "print('half', end='')\n").stdout == "half"


def test_what_is_no_unicode_is_shown_escaped():
    assert explore(PROGRAM + "print('\\ud800')\n").stdout == "\\ud800\n"


def test_a_warning_is_a_notice_with_its_line():
    found = explore(PROGRAM + "import warnings\nwarnings.warn('careful')\n")
    (notice,) = found.notices
    assert (notice.level, notice.text, notice.line) == ("warning", "UserWarning: careful", 4)


def test_a_warning_of_a_line_is_told_once():
    found = explore(PROGRAM + "import warnings\nfor _ in range(3):\n    warnings.warn('twice')\n")
    assert len(found.notices) == 1


def test_of_a_lines_warnings_that_differ_in_words_alone_some_are_told():
    found = explore(
        PROGRAM + "import warnings\nfor i in range(90):\n    warnings.warn(f'file {i}')\n"
        "warnings.warn('another')\n"
    )
    told = [each.text for each in found.notices]
    assert told == [
        *(f"UserWarning: file {i}" for i in range(5)),
        "UserWarning: further ones of this line are left out",
        "UserWarning: another",
    ]


FLEXIBLE = """
import torch
from torch.nn.attention.flex_attention import flex_attention

q = torch.randn(1, 2, 16, 16)
torch.compile(flex_attention)(q, q, q)
"""


def test_that_what_is_compiled_runs_here_before_is_no_warning_of_the_snippets(monkeypatch):
    from torch.nn.attention import flex_attention

    monkeypatch.setattr(flex_attention, "_WARNINGS_SHOWN", set())
    assert [n.text for n in explore(FLEXIBLE).notices if n.level == "warning"] == []


def test_a_listener_may_print():
    heard = []

    def listen(event):
        print("heard")
        heard.append(event)

    with stream(listen):
        print("said")
    assert heard == [Printed("stdout", "said\n")]


def test_the_streams_are_themselves_again_afterwards():
    before = sys.stdout, sys.stderr
    with stream(lambda event: None):
        assert sys.stdout is not before[0]
    assert (sys.stdout, sys.stderr) == before


def test_muted_code_is_not_heard(capsys):
    with suppress():
        print("again")
    assert capsys.readouterr().out == ""
