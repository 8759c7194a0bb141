"""Python that was copied from a session, a chat or an indented block is a snippet as it stands."""

import pytest

from compiler_core.capture import capture
from compiler_core.errors import SnippetError
from compiler_core.snippet.execute import as_main
from compiler_core.snippet.source import Source
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

SESSION = """>>> import torch
>>> def f(x):
...     y = x * 2
...     return y + 1
...
>>> f(torch.ones(3))
tensor([3., 3., 3.])
"""
CHAT = """Here is the function:

```python
import torch
def f(x):
    y = x * 2
    return y + 1
f(torch.ones(3))
```

It doubles its input.
"""
INDENTED = """    import torch
    def f(x):
        y = x * 2
        return y + 1

    f(torch.ones(3))
"""
QUOTED = """import torch
def f(x, mode=\u2018double\u2019):
    y = x * 2
    return y + 1
f(torch.ones(3), mode=\u201cdouble\u201d)
"""


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [(SESSION, 3, 13), (CHAT, 6, 9), (INDENTED, 3, 13), (QUOTED, 3, 9)],
    ids=["a session", "a chat", "indented", "an editor's quotes"],
)
def test_it_is_run_and_its_operations_are_where_they_were_pasted(text, line, column):
    (program,) = explore_as_it_is(text).programs
    with as_main(program.module):
        first, _ = capture(program).whole.nodes
    assert (first.op, first.line, first.column) == ("aten.mul.Tensor", line, column)


def explore_as_it_is(text):
    """Without what tests take away."""
    return explore(f"{text}# the first column\n" if text is INDENTED else text)


@pytest.mark.parametrize("text", ["    x = = 1\n", "```python\nx = = 1\n```\n", ">>> x = = 1\n"])
def test_what_is_wrong_in_it_is_an_error_of_its_line(text):
    with pytest.raises(SnippetError, match="is not valid Python") as raised:
        Source.parse(text)
    assert raised.value.line in (1, 2)


def test_a_text_without_python_in_it_is_no_snippet():
    with pytest.raises(SnippetError, match="is not valid Python"):
        Source.parse("```\n```\nIt doubles its input.\n")
