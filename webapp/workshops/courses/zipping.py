"""A course as a zip: read within bounds, whatever it claims of itself, and written so that the same
course is the same bytes."""

import io
import stat
import zipfile
import zlib

from webapp.errors import Refusal
from webapp.runs.title import visible
from webapp.workshops.courses import limits
from webapp.workshops.courses.course import Files

_REMEDY = "Zip the course's folder: text files of Markdown, TOML and Python."
# Steps of a path that name nothing of their own.
_NO_NAMES = {"", ".", ".."}
# Folders that Finder adds to every zip, and Python where a file of the course was imported.
_LEFT_OUT = {"__MACOSX", "__pycache__"}
# Others, of which Python knows some, ask for memory as they like and fail in ways of their own.
_WAYS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAY = (2020, 1, 1, 0, 0, 0)
# What Python's zipfile raises for a zip that is cut, encrypted, packed another way, or no zip.
_BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError, ValueError,
)  # fmt: skip


def unpacked(packed: bytes) -> Files | Refusal:
    """The files in a zip, without the folder that all of them may be in. What is of whoever zipped
    it is left out: names that begin with a dot, and what Finder and Python put beside them."""
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            return _files(archive)
    except _BROKEN as error:
        return _refusal(f"The zip cannot be read: {visible(str(error))[:120]}.", "body")


def packed(files: Files) -> bytes:
    """The files as a zip."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            archive.writestr(zipfile.ZipInfo(path, _DAY), files[path], zipfile.ZIP_DEFLATED)
    return held.getvalue()


def _files(archive: zipfile.ZipFile) -> Files | Refusal:
    # By their names alone: what is left out is neither read nor counted.
    entries = [each for each in archive.infolist() if not _is_left_out(each)]
    if len(entries) > limits.FILES:
        return _refusal(f"The zip has {len(entries)} files.", "body",
                        f"A course has at most {limits.FILES}.")  # fmt: skip
    found, room = dict[str, str](), limits.ALL_BYTES
    for entry in entries:
        if refusal := _trick(entry, found):
            return refusal
        content = _content(archive, entry, room)
        if isinstance(content, Refusal):
            return content
        room -= len(content.encode())
        found[entry.filename] = content
    return _without_folder(found)


def _is_left_out(entry: zipfile.ZipInfo) -> bool:
    steps = entry.filename.split("/")
    if len(steps) > 1 and not steps[-1]:
        return True  # a folder
    hidden = any(step.startswith(".") and step not in _NO_NAMES for step in steps)
    return hidden or not _LEFT_OUT.isdisjoint(steps) or steps[-1].endswith(".pyc")


def _trick(entry: zipfile.ZipInfo, found: Files) -> Refusal | None:
    """Why a path in a zip is not followed."""
    path, shown = entry.filename, visible(entry.filename[:80])
    steps = path.split("/")
    if path.startswith("/") or "\\" in path or ":" in path or _NO_NAMES & set(steps):
        return _refusal(f'The zip has the path "{shown}", which leads out of its folder.', shown)
    if stat.S_ISLNK(entry.external_attr >> 16):
        return _refusal(f"{shown} is a link.", shown)
    if entry.compress_type not in _WAYS:
        return _refusal(f"{shown} is packed in another way than zips are.", shown)
    if path in found:
        return _refusal(f"The zip has {shown} twice.", shown)
    return None


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, room: int) -> str | Refusal:
    shown = visible(entry.filename[:80])
    most = min(limits.FILE_BYTES, room)
    with archive.open(entry) as stream:
        content = stream.read(most + 1)
    if len(content) > limits.FILE_BYTES:
        return _refusal(f"{shown} is longer than {limits.FILE_BYTES >> 10} KiB.", shown,
                        "Divide it.")  # fmt: skip
    if len(content) > most:
        return _refusal(f"The course is longer than {limits.ALL_BYTES >> 10} KiB.", "body",
                        "Make it two.")  # fmt: skip
    try:
        text = content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return _refusal(f"{shown} is not UTF-8 text.", shown)
    return _refusal(f"{shown} has a NUL character.", shown) if "\0" in text else text


def _without_folder(found: Files) -> Files:
    heads = {path.partition("/")[0] for path in found}
    inner = len(heads) == 1 and all("/" in path for path in found)
    return {path.partition("/")[2] if inner else path: found[path] for path in found}


def _refusal(message: str, at: str, remedy: str = _REMEDY) -> Refusal:
    return Refusal(422, message, remedy, at)
