"""Commands to IPython, as they come with what is pasted from a notebook."""

import ast

import pytest

from compiler_core.errors import SnippetError
from compiler_core.snippet.notebook import without_commands
from compiler_core.snippet.source import Source
from tests.compiler_core.snippets import explore

CELLS = """
%load_ext autoreload
!pip install -q einops
import torch
%matplotlib inline

def scaled(x, by):
    %time y = x * (7
        % by)
    return y

%timeit -n 10 scaled(torch.ones(4), 2)
"""


def _cleaned(text):
    with pytest.raises(SyntaxError) as raised:
        ast.parse(text)
    return without_commands(text, raised.value)


def test_commands_are_left_out_and_what_they_time_stays_at_its_place():
    text, lines = _cleaned(CELLS)
    assert lines == (2, 3, 5, 8, 12)
    before, after = CELLS.split("\n"), text.split("\n")
    assert len(before) == len(after) and ast.parse(text)
    assert after[7].index("y = x") == before[7].index("y = x")
    assert after[8] == before[8]
    assert after[11].index("scaled") == before[11].index("scaled")


def test_what_is_no_command_stays_an_error_at_its_line():
    with pytest.raises(SnippetError) as raised:
        Source.parse("%matplotlib inline\nx = = 2\n")
    assert raised.value.line == 2


@pytest.mark.cpu
def test_a_notebook_is_a_snippet_and_its_commands_are_said():
    found = explore(CELLS)
    (program,) = found.programs
    assert program.name == "scaled"
    (said,) = [n for n in found.notices if "commands of a notebook" in n.text]
    assert said.line == 2
