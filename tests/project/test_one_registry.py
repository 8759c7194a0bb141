"""Compilers are named in one list, and what may be looked into in one: nobody else writes down
which there are."""

import ast
import re
from pathlib import Path

from compiler_core import report

ROOT = Path(__file__).resolve().parents[2]
IDS = {compiler.id for compiler in report.COMPILERS}
# Of those that run a program, and of what may be looked into beside.
REGISTRIES = {ROOT / "compiler_core" / "report" / f"{name}.py" for name in ("compilers", "insides")}
GENERATED = ROOT / "frontend" / "src" / "wire.ts"
PYTHON = [
    file
    for room in ("compiler_core", "webapp", "worker", "bench", "launcher", "frontend", "scripts")
    for file in sorted((ROOT / room).rglob("*.py"))
    if "node_modules" not in file.parts and file not in REGISTRIES
]
PAGE = [
    file
    for file in sorted((ROOT / "frontend" / "src").rglob("*.ts*"))
    if file != GENERATED and ".test." not in file.name
]


def lists_in(text: str) -> list[set[str]]:
    """The compilers named in each tuple, list, set, dict and subscript of a Python text."""
    found: list[set[str]] = []
    # Most name none, and to parse them takes longer than all else.
    if sum(each in text for each in IDS) < 2:
        return found
    for node in ast.walk(ast.parse(text)):
        parts = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
        found.append({p.value for p in parts if isinstance(p, ast.Constant)} & IDS)
    return found


def test_no_python_file_lists_compilers():
    assert len(PYTHON) > 100
    found = [f for f in PYTHON if any(len(named) > 1 for named in lists_in(f.read_text()))]
    assert found == []


def test_no_file_of_the_page_lists_compilers():
    assert len(PAGE) > 20
    words = {f: set(re.findall(r"""["']([\w:-]+)["']""", f.read_text())) for f in PAGE}
    assert [f for f, named in words.items() if len(named & IDS) > 1] == []


def test_a_second_list_would_be_found():
    assert {"inductor", "xla"} in lists_in('X = ("inductor", "xla")')
    assert {"core", "xla"} in lists_in('X = {"core": 1, "xla": 2}')


def test_the_words_of_the_options_are_those_of_the_list():
    assert report.Compiler.__args__ == tuple(c.id for c in report.COMPILERS)
    assert report.CompilerChoice.__args__ == tuple(c.id for c in report.CHOICES)


def test_every_reference_compiler_has_its_module():
    folder = ROOT / "compiler_core" / "reference"
    modules = {file.stem for file in folder.iterdir() if not file.name.startswith(("__", "result"))}
    assert {report.package_of(c.id) for c in report.REFERENCES} <= modules


def test_every_extra_says_the_command_that_installs_it():
    extras = [each for each in (*report.COMPILERS, *report.INSIDES) if each.install]
    assert extras
    for each in extras:
        command, _, name = each.install.partition("NAME=")
        assert command == "make toolchain " and (ROOT / "toolchains" / f"{name}.txt").is_file()


def test_the_documents_name_them_all():
    (row,) = re.findall(r"^\| `--compilers LIST` \| (.*?);", (ROOT / "README.md").read_text(), re.M)
    assert re.findall(r"`([\w:-]+)`", row) == [c.id for c in report.CHOICES]
    measuring = (ROOT / "docs" / "measuring.md").read_text()
    _, table, *_ = measuring.split("## What runs")[1].split("\n\n")
    assert re.findall(r"^\| `([\w:-]+)`", table, re.M) == [c.id for c in report.COMPILERS]


def test_a_mode_stands_after_the_compiler_that_has_it():
    modes = [c.id for c in report.COMPILERS if report.mode_of(c.id)]
    assert modes
    for each in modes:
        assert report.package_of(each) in IDS and each == (
            f"{report.package_of(each)}:{report.mode_of(each)}"
        )
