"""The texts of a report apart from it, and in it again."""

import msgspec
import pytest

from compiler_core import report

# What a text may hold that looks like the report's own JSON, or like its hole.
STRANGE = 'é\n"text":"","nodes":[],"kernel":null,"stored":{"sha256":"' + "0" * 64 + '"\\\\"'


def whole(*artifacts):
    stage = report.Stage("s", "ok", 1.0, list(artifacts), summary=STRANGE)
    return report.Report(programs=[report.Program("f", "torch", stages=[stage])])


def artifact(text, nodes=(), kernel=None):
    return report.Artifact("a", "c", "c", text, [list(n) for n in nodes], kernel)


@pytest.mark.parametrize("size", [1, 7, 50, 10_000])
@pytest.mark.parametrize("kernel", [None, "k0", STRANGE])
def test_texts_that_were_cut_out_are_put_in_again(kernel, size):
    given = [artifact("a\nb", [[1, 2], []], kernel), artifact(STRANGE, kernel=kernel), artifact("")]
    kept, contents = {}, []
    for each in given[:2]:
        said, content = report.stored(each)
        kept[said.stored.sha256] = content
        contents.append(said)
    cut = report.without_texts(whole(*contents, given[2]))
    raw = report.encode_report(cut)
    assert b"a\\nb" not in raw

    def pieces(of):
        return [of[at : at + size] for at in range(0, len(of), size)]

    whole_again = b"".join(report.with_texts(pieces(raw), lambda sha256: pieces(kept[sha256])))
    filled = msgspec.json.decode(whole_again, type=report.Report)
    assert filled == whole(*contents, given[2])


def test_equal_texts_have_one_hash_and_another_line_map_has_another():
    same = {report.stored(artifact("a", [[1]]))[0].stored.sha256 for _ in range(2)}
    assert len(same) == 1
    assert report.stored(artifact("a", [[2]]))[0].stored.sha256 not in same


def test_ids_that_are_scattered_are_one_range():
    known = report.stored(artifact("a", [[2 * i for i in range(100_000)]]))[0].stored
    assert known.spans == [(0, 199_998)]


def test_what_is_known_without_the_text():
    known = report.stored(artifact("é\nb\n", [[3, 1], [2], [7]]))[0].stored
    assert (known.bytes, known.lines, known.spans) == (5, 3, [(1, 3), (7, 7)])
