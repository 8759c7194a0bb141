"""A page of a deck: safe HTML, and between it what can be pressed."""

import re
from pathlib import Path

import pytest

from webapp.workshops.courses.course import Page
from webapp.workshops.courses.deck import (
    PANES,
    PLOTS,
    Html,
    LiveExercise,
    LiveRun,
    Snippet,
    fault,
    rendered,
    slip,
)

ROOT = Path(__file__).parents[4]
RUN = "abcdefghijkmnpqrstuvwxyz"


def html(text: str) -> str:
    return "".join(block.html for block in rendered(text).blocks if isinstance(block, Html))


def test_a_page_is_text_with_live_blocks_between_it():
    page = rendered(
        "# Fused\n\nLook:\n\n```fuselab run=softmax-rows pane=triton\nOnce.\n```\n"
        "\nNow you:\n\n```fuselab exercise=one-kernel\n```\n```python edit\nx = 1\n```\n"
    )
    assert page.title == "Fused"
    assert [type(block) for block in page.blocks] == [Html, LiveRun, Html, LiveExercise, Snippet]
    assert page.blocks[1] == LiveRun("softmax-rows", "Softmax over rows", "", "triton", "Once.")
    assert page.blocks[3:] == [LiveExercise("one-kernel"), Snippet("x = 1\n")]


def test_what_to_look_at_in_a_run_is_a_line_of_markdown_and_no_markup():
    (run,) = rendered(
        "```fuselab run=softmax-rows\nFind `tl.load`:\n<b>one</b> of *it*.\n```"
    ).blocks
    assert isinstance(run, LiveRun)
    assert run.says == "Find <code>tl.load</code>: &lt;b&gt;one&lt;/b&gt; of <em>it</em>."


def test_a_block_says_what_is_drawn_of_it():
    run, snippet = rendered(
        "```fuselab run=softmax-rows plot=roofline\n```\n```python edit pane=c\nx = 1\n```\n"
    ).blocks
    assert run == LiveRun("softmax-rows", "Softmax over rows", "", "", "", "roofline")
    assert snippet == Snippet("x = 1\n", "c", "")


@pytest.mark.parametrize(
    ("info", "says"),
    [
        ("fuselab run=softmax-rows plot=pie", 'there is no plot "pie"'),
        ("fuselab run=softmax-rows pane=ir plot=memory", "cannot be done"),
        ("fuselab exercise=a plot=memory", "cannot be done"),
        ("python edit plot=pie", 'there is no plot "pie"'),
        ("python edit pane=<b>", 'there is no pane "<b>"'),
        ("python edit twice", '"twice" cannot be done'),
    ],
)
def test_what_cannot_be_drawn_is_said_with_its_line(info, says):
    told = fault(Page("01-a.md", f"# A\n\n```{info}\n```\n"), ("a",))
    assert told is not None and says in told.message
    assert told.message.startswith("01-a.md, line 3: ") and told.remedy


def test_who_takes_a_snippet_for_a_run_is_told_how_one_is_written():
    told = fault(Page("01-a.md", "# A\n\n```fuselab snippet pane=kernels\n```\n"), ())
    assert told is not None and "```python edit" in told.remedy


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ("```fuselab run=softmax-rows pane=tritn\n```", 'there is no pane "tritn"'),
        ("```python edit pane=cc\n```", 'there is no pane "cc"'),
        ("```fuslab run=softmax-rows\n```", '"fuslab run=softmax-rows" is no live block'),
        ("```python pane=c\n```", '"python pane=c" is no live block'),
        ("```python edit\nx = 1\n", "this block has no end"),
        ("```", "this block has no end"),
        ("````\nx\n```\n", "this block has no end"),
        ("~~~\nx", "this block has no end"),
    ],
)
def test_a_slip_is_told_when_a_course_comes_in_and_takes_no_deck_from_a_room(block, says):
    page = Page("01-a.md", f"# A\n\n{block}")
    told = slip(page)
    assert told is not None and told.message == f"01-a.md, line 3: {says}." and told.remedy
    assert fault(page, ()) is None and rendered(page.text).title == "A"


@pytest.mark.parametrize(
    "block", ["```\nx\n```", "````\n```\n````\n", "~~~python\n~~~ \n\ny", "```\n```", "x = 1"]
)
def test_what_is_as_it_was_meant_is_no_slip(block):
    assert slip(Page("01-a.md", f"# A\n\n{block}")) is None


def test_an_empty_page_is_a_slip():
    told = slip(Page("01-a.md", " \n"))
    assert told is not None and told.message == "01-a.md is empty."


def test_the_page_draws_every_plot_that_a_block_may_name():
    folder = ROOT / "frontend/src/workshop/deck"
    named = re.findall(r'^  (\w+): "', (folder / "looks.ts").read_text(), re.MULTILINE)
    drawn = re.findall(r"^  (\w+): {$", (folder / "plots.tsx").read_text(), re.MULTILINE)
    assert tuple(named) == tuple(drawn) == PLOTS


def test_the_page_has_every_pane_that_a_block_may_name():
    registry = (ROOT / "frontend/src/panes/registry.tsx").read_text()
    named = re.findall(r'^  (?:text\("|{\s*id: ")(\w+)"', registry, re.MULTILINE)
    assert tuple(named) == PANES


@pytest.mark.parametrize("host", ["", "http://127.0.0.1:8000", "https://lab.example"])
def test_a_stored_run_is_opened_here_whatever_host_its_link_names(host):
    page = rendered(f"```fuselab run={host}/r/{RUN}#stage=3&nodes=1.2 pane=ir\n```")
    assert page.blocks == [LiveRun("", "", f"/r/{RUN}#stage=3&nodes=1.2", "ir", "")]


def test_other_fences_are_shown():
    assert "<code>x &lt; 1\n</code>" in html("```python\nx < 1\n```")
    assert [type(b) for b in rendered("- ```fuselab exercise=a\n  ```").blocks] == [Html]


def test_headings_are_below_the_pages_own_and_the_first_takes_the_focus():
    assert html("# A\n\n## B") == '<h2 tabindex="-1">A</h2>\n<h3>B</h3>\n'


def test_a_page_without_a_heading_has_a_title():
    assert rendered("text").title == "A page"


def test_tables_are_rendered():
    assert "<td>1</td>" in html("| a |\n| --- |\n| 1 |")
    # The page's policy forbids styles in markup.
    assert '<td class="to-right">1</td>' in html("| a |\n| --: |\n| 1 |")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "[x](vbscript:x)",
        "![x](javascript:alert(1))",
        '![x" onerror="alert(1)](https://evil.example/x.png)',
        '[x](https://a.example/"onmouseover="alert(1))',
        "<https://a.example/\"onmouseover='alert(1)'>",
        "```<script>\n</code></pre><script>alert(1)</script>\n```",
        "[x]: javascript:alert(1)\n\n[x]",
        '# <svg onload="alert(1)">',
    ],
)
def test_nothing_in_a_page_runs(text):
    made = html(text)
    allowed = {"a", "p", "h2", "pre", "code", "em", "strong"}
    tags = re.findall(r"<(/?)([a-z0-9]+)([^>]*)>", made)
    assert {name for _, name, _ in tags} <= allowed
    for _, _, attributes in tags:
        names = set(re.findall(r'([a-z-]+)="[^"]*"', attributes))
        assert names <= {"href", "target", "rel", "tabindex"}
        assert re.sub(r'\s*[a-z-]+="[^"]*"', "", attributes) == ""
        href = re.search(r'href="([^"]*)"', attributes)
        assert href is None or href[1].startswith("https://")


def test_a_picture_elsewhere_is_a_link_and_one_in_the_page_is_drawn():
    assert html("![a plot](https://a.example/x.png)") == (
        '<p><a href="https://a.example/x.png" target="_blank" rel="noopener noreferrer">a plot</a>'
        "</p>\n"
    )
    assert '<img src="data:image/png;base64,AA==" alt="a plot"' in html(
        "![a plot](data:image/png;base64,AA==)"
    )


def test_a_link_opens_beside_the_workshop():
    assert 'target="_blank" rel="noopener noreferrer"' in html("[x](/r/x)")


def test_a_table_is_filled_up_so_often_and_no_more():
    text = "|a" * 100 + "\n" + "|-" * 100 + "\n" + "|\n" * 300
    [block] = rendered(text).blocks
    assert block.html.count("<td") < 2000


def test_a_long_address_is_that_of_so_many_links_and_no_more():
    """Each link by its name has all of the address that the name stands for."""
    text = f"[a]: {'x' * 20_000}\n\n" + "[a] " * 10_000
    [block] = rendered(text).blocks
    assert block.html.count("<a ") == 6
    assert len(block.html) < 4 * len(text)


def test_a_title_of_a_name_is_counted_as_well_and_so_is_a_picture():
    for use in ("[a] ", "![a] "):
        text = f'[a]: x "{"t" * 20_000}"\n\n' + use * 10_000
        [block] = rendered(text).blocks
        assert len(block.html) < 4 * len(text)


def test_links_by_names_are_links_as_many_as_an_honest_page_has():
    text = "".join(f"[name-{n}]: https://example.org/{n}\n" for n in range(300))
    [block] = rendered(text + "\n" + "".join(f"[name-{n}] " for n in range(300))).blocks
    assert block.html.count("<a ") == 300
