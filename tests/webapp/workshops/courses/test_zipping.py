"""A course as a zip: there and back, and what a zip may not do."""

import io
import random
import stat
import zipfile

import pytest

from tests.webapp.workshops.courses.samples import FILES, zipped
from webapp.errors import Refusal
from webapp.workshops.courses import limits
from webapp.workshops.courses.shelf import shelf
from webapp.workshops.courses.zipping import packed, unpacked


def test_a_course_comes_back_as_it_went():
    for files in (FILES, *(course.files for course in shelf().values())):
        assert unpacked(packed(files)) == files
        assert packed(files) == packed(dict(reversed(files.items())))


def test_the_folder_that_was_zipped_and_what_the_system_adds_are_left_out():
    zipper = zipped(FILES, "fusion/")
    assert unpacked(zipper) == FILES


# What lies in a folder that is kept in git and zipped by Finder; none of it is text.
BESIDE = {
    "mine/.DS_Store": b"\0\0\0\1Bud1\xff",
    "mine/.git/index": b"DIRC\0\0\0\2\xff",
    "mine/.venv/bin/python": b"\x7fELF",
    "mine/__pycache__/start.cpython-313.pyc": b"\xf3\r\r\n\0",
    "mine/exercises/one-kernel/__pycache__/answer.cpython-313.pyc": b"\xf3\r\r\n\0",
    "mine/exercises/one-kernel/start.pyc": b"\xf3\r\r\n\0",
    "__MACOSX/._mine": b"\0\5\x16\7",
    "__MACOSX/mine/._01-welcome.md": b"\0\5\x16\7",
}


def within(folder):
    return {f"{folder}{path}": text for path, text in FILES.items()}


@pytest.mark.parametrize("folder", ["", "mine/"])
def test_a_folder_that_is_kept_in_git_is_zipped_as_it_is(folder):
    beside = {path.replace("mine/", folder): content for path, content in BESIDE.items()}
    assert unpacked(zipped({**beside, **within(folder)})) == FILES
    assert unpacked(zipped({**dict.fromkeys(beside, "text"), **within(folder)})) == FILES


def test_what_is_left_out_counts_for_nothing():
    objects = {f"mine/.git/objects/{i}": b"\xff" * 1000 for i in range(limits.FILES)}
    pack = {"mine/.git/objects/pack/a.pack": b"\0" * (limits.ALL_BYTES + 1)}
    assert unpacked(zipped({**objects, **pack, **within("mine/")})) == FILES


def test_lines_end_as_here():
    assert unpacked(zipped({"a.md": "x\r\ny\r\n"})) == {"a.md": "x\ny\n"}


@pytest.mark.parametrize(
    "path", ["../a.md", "/a.md", "a/../../b.md", "a\\b.md", "C:a.md", "a//b.md", "./a.md"]
)
def test_no_path_leads_out_of_the_folder(path):
    refusal = unpacked(zipped({path: "x"}))
    assert isinstance(refusal, Refusal)
    assert "leads out" in refusal.message


def test_no_link_is_followed():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        entry = zipfile.ZipInfo("01-a.md")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    assert unpacked(out.getvalue()).message == "01-a.md is a link."


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"a.md": "x" * (limits.FILE_BYTES + 1)}, "a.md is longer than 64 KiB."),
        ({f"{i:02}-a.md": "x" * limits.FILE_BYTES for i in range(17)}, "longer than 1024 KiB"),
        ({f"{i}.md": "" for i in range(limits.FILES + 1)}, "files"),
        ({"a.md": b"\xff\xfe"}, "a.md is not UTF-8 text."),
        ({"a.md": "x\0"}, "a.md has a NUL character."),
    ],
)
def test_bounds(content, says):
    refusal = unpacked(zipped(content))
    assert says in refusal.message and refusal.remedy.endswith(".")


def test_a_size_that_is_a_lie_does_not_help():
    """The entry says 10 bytes and holds a megabyte."""
    honest = zipped({"a.md": "x" * 1_000_000})
    lie = honest.replace((1_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert lie != honest
    refusal = unpacked(lie)
    assert isinstance(refusal, Refusal)


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip", zipped(FILES)[:-30]])
def test_what_is_no_zip_is_said_to_be_none(content):
    assert unpacked(content).message.startswith("The zip cannot be read: ")


def test_a_zip_that_is_locked_is_refused():
    locked = bytearray(zipped({"a.md": "x"}))
    for sign, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(sign) + at] |= 1
    assert "encrypted" in unpacked(bytes(locked)).message


def test_the_same_path_twice_is_refused():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.md", "x")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.md", "y")
    assert unpacked(out.getvalue()).message == "The zip has a.md twice."


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_packed_in_another_way_than_zips_are_is_refused(method):
    """Others ask for what they need of memory themselves, and fail in ways of their own."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        archive.writestr("01-a.md", "# Hello\n" * 50)
    refusal = unpacked(held.getvalue())
    assert isinstance(refusal, Refusal)
    assert refusal.message == "01-a.md is packed in another way than zips are."


@pytest.mark.parametrize("method", [0, 8, 12, 14])
def test_a_zip_with_anything_in_it_is_read_or_refused(method):
    held, chance = io.BytesIO(), random.Random(method)
    with zipfile.ZipFile(held, "w", method) as archive:
        archive.writestr("course.toml", 'title = "x"\n')
        archive.writestr("01-a.md", "# Hello\n" * 50)
    for _ in range(500):
        broken = bytearray(held.getvalue())
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(broken))
            broken[at : at + chance.choice((0, 1, 1, 4))] = chance.randbytes(
                chance.choice((0, 1, 4))
            )
        assert isinstance(unpacked(bytes(broken)), (dict, Refusal))
