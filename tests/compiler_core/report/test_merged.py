"""Equal entries of the why-list are stored once."""

from compiler_core.report import Finding, merged

BLOCK = Finding("not fused", "inductor", "two loops", "ranges", line=7, bytes=64, nodes=[1, 2])


def test_twelve_equal_entries_are_one_with_their_count_costs_and_operations() -> None:
    blocks = [
        Finding("not fused", "inductor", "two loops", "ranges", line=7, bytes=64, nodes=[i, 99])
        for i in range(12)
    ]
    (found,) = merged([], blocks)
    assert (found.count, found.bytes, found.us, found.line) == (12, 12 * 64, None, 7)
    assert found.nodes == [0, 99, *range(1, 12)]


def test_what_says_anything_else_or_is_of_another_line_stays_apart() -> None:
    others = [
        Finding("not fused", "inductor", "two loops", "ranges", line=8),
        Finding("not fused", "inductor", "two loops", "tiles", line=7),
        Finding("not fused", "xla", "two loops", "ranges", line=7),
    ]
    assert merged([BLOCK], others) == [BLOCK, *others]


def test_known_ones_keep_their_places_and_nothing_is_added_twice() -> None:
    other = Finding("precision", "core", "to half")
    known = merged([], [BLOCK, other])
    assert merged(known, ()) == known
    first, second = merged(known, [BLOCK])
    assert (first.count, second) == (2, other)


def test_the_compilers_own_words_are_kept_of_a_few() -> None:
    own = [Finding("library call", "xla", "a call", raw=f"custom-call.{i}") for i in range(99)]
    (found,) = merged([], own)
    assert found.raw.split("\n") == [f"custom-call.{i}" for i in range(12)]
