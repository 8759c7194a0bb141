"""How many lines two texts differ by."""

import random
import time
from functools import cache

import pytest

from compiler_core import report
from compiler_core.report.lines import line_changes


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("a\nb\nc", "a\nb\nc", (0, 0)),
        ("a\nb\nc", "a\nc\nd", (1, 1)),
        ("", "a", (1, 1)),
        ("a", "a\na", (1, 0)),
        ("a\nb", "b\na", (1, 1)),
        ("x\na\nx", "x", (0, 2)),
    ],
)
def test_lines_added_and_removed(before, after, changes):
    assert line_changes(before, after) == changes


def by_the_definition(old, new):
    """The longest common subsequence by its recurrence."""

    @cache
    def common(i, j):
        if not (i and j):
            return 0
        if old[i - 1] == new[j - 1]:
            return common(i - 1, j - 1) + 1
        return max(common(i - 1, j), common(i, j - 1))

    return common(len(old), len(new))


@pytest.mark.parametrize("seed", range(40))
def test_the_changes_are_the_fewest(seed):
    draw = random.Random(seed)
    old, new = (draw.choices("abcd", k=draw.randint(1, 14)) for _ in range(2))
    common = by_the_definition(tuple(old), tuple(new))
    expected = (len(new) - common, len(old) - common)
    assert line_changes("\n".join(old), "\n".join(new)) == expected


def test_long_texts_with_nothing_in_its_place_are_counted_at_once():
    old = [f"line {i}" for i in range(10_000)]
    new = random.Random(0).sample(old, len(old))
    start = time.process_time()
    line_changes("\n".join(old), "\n".join(new))
    assert time.process_time() - start < 2


def test_a_stage_says_what_it_changed():
    sides = [
        report.Artifact(n, "ir", "fuselab", t) for n, t in (("before", "a\nb"), ("after", "a"))
    ]
    stage = report.counted(report.Stage("fold", "ok", 1.0, sides))
    assert (stage.added, stage.removed) == (0, 1)
    alone = report.counted(report.Stage("capture", "ok", 1.0, sides[:1]))
    assert (alone.added, alone.removed) == (None, None)
