"""The gallery: files in snippets/, and chapters.toml, which has their order and what is said of
them. The title is the first line of a snippet's docstring, or of its first comment where it is
StableHLO."""

import ast
from functools import cache
from pathlib import Path

import msgspec
from msgspec import field

from compiler_core.report import Inside

HERE = Path(__file__).parent
SNIPPETS = HERE / "snippets"
CHAPTERS = HERE / "chapters.toml"
STABLEHLO = ".mlir"


class Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What chapters.toml has of one example."""

    name: str
    says: str
    look: str
    # The pane that has what there is to look at, by its id.
    pane: str
    attempt: str = field(name="try")
    # The pass whose change that is, and what stands in the line of the snippet that it is about,
    # once; blank where it is about no single one.
    stage: str = ""
    line: str = ""
    # What has to be looked into for it to be there.
    insides: list[Inside] = []


class Chapter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One heading, with the examples under it."""

    title: str
    example: list[Said]


class Contents(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole of chapters.toml."""

    chapter: list[Chapter]


class Example(msgspec.Struct, frozen=True):
    """A snippet to run, something to look at in a pane, and something to try."""

    name: str
    title: str
    # "torch", "jax" or "stablehlo".
    framework: str
    source: str
    chapter: str
    # Three sentences.
    says: str
    look: str
    pane: str
    attempt: str
    # The name of the stage and the number of the snippet's line, from 1, that are chosen when it
    # has been run; "" and null where none is.
    stage: str
    line: int | None
    insides: list[Inside]


class Gallery(msgspec.Struct, frozen=True):
    """The response to GET /api/v1/examples."""

    examples: list[Example]


@cache
def gallery() -> Gallery:
    """All examples, in the order in which they teach; read once per process."""
    contents = msgspec.toml.decode(CHAPTERS.read_bytes(), type=Contents)
    files = {name_of(path): path for path in snippets()}
    return Gallery(
        [
            example(files[said.name], chapter.title, said)
            for chapter in contents.chapter
            for said in chapter.example
        ]
    )


def snippets() -> list[Path]:
    """The files, in the order of their numbers."""
    return sorted(SNIPPETS.glob("[0-9][0-9]-*"))


def name_of(path: Path) -> str:
    """What chapters.toml calls a file: its name without number and suffix."""
    return path.stem.partition("-")[2]


def example(path: Path, chapter: str, said: Said) -> Example:
    """The example in a snippet's file."""
    source = path.read_text(encoding="utf-8")
    is_text = path.suffix == STABLEHLO
    title, framework = _of_comment(source) if is_text else _of_docstring(ast.parse(source))
    return Example(
        said.name, title, framework, source, chapter, said.says, said.look, said.pane,
        said.attempt, said.stage, line_of(said.line, source), said.insides,
    )  # fmt: skip


def line_of(text: str, source: str) -> int | None:
    """The number, from 1, of the line that has a text; None for no text. Raises ValueError where
    the snippet has it in no line, or in several."""
    if not text:
        return None
    (found,) = (n for n, line in enumerate(source.splitlines(), 1) if text in line)
    return found


def _of_comment(source: str) -> tuple[str, str]:
    return source.partition("\n")[0].lstrip("/ "), "stablehlo"


def _of_docstring(tree: ast.Module) -> tuple[str, str]:
    """The title, and the framework: the first one imported at the top; a snippet of Python's own
    operators, with inputs alone, is torch's."""
    for node in tree.body:
        match node:
            case ast.Import(names=[ast.alias(name=name), *_]) | ast.ImportFrom(module=str(name)):
                if (root := name.partition(".")[0]) in ("torch", "jax"):
                    return _title(tree), root
    return _title(tree), "torch"


def _title(tree: ast.Module) -> str:
    return (ast.get_docstring(tree) or "").partition("\n")[0]
