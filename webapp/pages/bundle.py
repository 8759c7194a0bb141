"""The built frontend: the files of Vite's manifest that the page loads."""

from dataclasses import dataclass

import msgspec
from django.conf import settings

_URL = f"{settings.STATIC_URL}app/"


class _Chunk(msgspec.Struct, rename="camel"):
    file: str
    is_entry: bool = False
    css: list[str] = []
    imports: list[str] = []


@dataclass(frozen=True)
class Bundle:
    """URLs of the entry's script, of its styles, and of what else is loaded at once."""

    script: str
    styles: tuple[str, ...]
    preloads: tuple[str, ...]


def bundle(*parts: str) -> Bundle | None:
    """The bundle, with those of its parts that are fetched when they are first wanted, as paths of
    their sources, where it is known that they will be; None if the frontend has not been built."""
    try:
        manifest = (settings.FRONTEND / ".vite" / "manifest.json").read_bytes()
    except FileNotFoundError:
        return None
    chunks = msgspec.json.decode(manifest, type=dict[str, _Chunk])
    entry = next(name for name, chunk in chunks.items() if chunk.is_entry)
    wanted = [entry, *(part for part in parts if part in chunks)]
    loaded = [chunks[name] for name in _closure(chunks, wanted)]
    return Bundle(
        script=_URL + chunks[entry].file,
        styles=tuple(dict.fromkeys(_URL + css for chunk in loaded for css in chunk.css)),
        preloads=tuple(_URL + chunk.file for chunk in loaded[1:]),
    )


def _closure(chunks: dict[str, _Chunk], wanted: list[str]) -> list[str]:
    """The chunks that are wanted and what they import, each once, in the order in which they are
    met."""
    met = list(wanted)
    for name in met:
        met.extend(other for other in chunks[name].imports if other not in met)
    return met
