"""Dependencies are installed by their hashes, and one version of each is named everywhere."""

import hashlib
import os
import re
import tomllib
import zipfile
from pathlib import Path

import pytest

from scripts import lock, locked_here

ROOT = Path(__file__).resolve().parents[2]
TOOLCHAINS = ROOT / "toolchains"
# What only torch's builds for CUDA bring.
CUDA = re.compile(r"nvidia-(?!ml-py)|cuda-")


def name(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def pins(text: str) -> dict[str, str]:
    found = re.findall(r"^([A-Za-z0-9._-]+)(?:\[\w+\])?==([^ ;\\\n]+)", text, flags=re.MULTILINE)
    return {name(package): version for package, version in found}


LOCKED = (ROOT / "locked.txt").read_text()
PINNED = pins((ROOT / "constraints.txt").read_text())


FILES = [ROOT / "locked.txt", ROOT / "pip.txt", *sorted((TOOLCHAINS / "locked").glob("*.txt"))]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_package_has_hashes(file: Path) -> None:
    found = [*lock.blocks(file.read_text())]
    assert found
    for each in found:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", each), each.splitlines()[0]


@pytest.mark.parametrize(
    "file", [ROOT / "scripts" / "setup", *(ROOT / "docker").glob("*.Dockerfile")], ids=str
)
def test_the_pip_that_installs_is_installed_by_its_hash(file: Path) -> None:
    assert re.search(r"install (-r|--requirement) pip\.txt", text := file.read_text())
    assert not re.search(r"install\b[^\n]*\bpip *[><=]", text)


@pytest.mark.parametrize("pinned", sorted(TOOLCHAINS.glob("*.txt")), ids=lambda file: file.stem)
def test_a_toolchain_is_locked_as_it_is_pinned(pinned: Path) -> None:
    locked = TOOLCHAINS / "locked" / pinned.name
    assert pins(locked.read_text()) == pins(pinned.read_text())


def test_torch_is_taken_from_either_index() -> None:
    (torch,) = (each for each in lock.blocks(LOCKED) if lock.package(each) == "torch")
    # CPython 3.12 for 64-bit Linux: of PyPI with CUDA, and of the index of builds for CPUs.
    for each in ("092790c696a760c729fd5722835f50b9", "4ca4a9394b0c771238a4f73590fdbbc4"):
        assert f"sha256:{each}" in torch
    assert "cuda-bindings" in pins(LOCKED)


def test_what_is_locked_is_what_is_pinned() -> None:
    locked = pins(LOCKED)
    assert {each: PINNED[each] for each in locked if each in PINNED} == {
        each: version for each, version in locked.items() if each in PINNED
    }
    assert PINNED.keys() <= locked.keys()
    # Of other platforms, builds of torch and versions of Python than this one.
    others = {each for each in locked.keys() - PINNED.keys() if not CUDA.match(each)}
    assert others <= {"async-timeout", "colorama", "tzdata"}


def test_all_that_is_set_up_is_held_to_the_hashes() -> None:
    for file in ("scripts/setup", "docker/web.Dockerfile", "docker/worker.Dockerfile"):
        text = (ROOT / file).read_text()
        for line in re.findall(r"^.*install.*--group.*$", text, flags=re.MULTILINE):
            assert re.search(r"-c (locked|here|\.venv/locked)\.txt", line), f"{file}: {line}"


def test_a_build_of_torch_in_a_folder_is_taken_as_it_is_without_hashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one for CPUs beside another's for CUDA at an index that says its hash."""
    index, folder = tmp_path / "index", tmp_path / "folder"
    (index / "torch").mkdir(parents=True)
    folder.mkdir()
    wheel(folder, "2.13.0+cpu")
    there = wheel(index / "torch", "2.13.0")
    digest = hashlib.sha256(there.read_bytes()).hexdigest()
    link = f'<a href="{there.name}#sha256={digest}">{there.name}</a>'
    (index / "torch" / "index.html").write_text(f"<!DOCTYPE html><html>{link}</html>")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", f"file://{index}")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setattr(locked_here, "_DRY", (*locked_here._DRY, "--ignore-installed"))
    text = f"six==1.17.0 --hash=sha256:00\ntorch==2.13.0 --hash=sha256:{digest}\n"
    build = text.replace("torch==2.13.0", "torch==2.13.0+cpu")
    assert "".join(locked_here.with_build(text)) == build


def wheel(folder: Path, version: str) -> Path:
    """A package torch of nothing but its name and version."""
    made, about = folder / f"torch-{version}-py3-none-any.whl", f"torch-{version}.dist-info"
    with zipfile.ZipFile(made, "w") as into:
        into.writestr(
            f"{about}/METADATA", f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n"
        )
        into.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        into.writestr(f"{about}/RECORD", "")
    return made


def test_what_is_asked_for_directly_is_what_is_pinned() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    asked = [each for group in groups.values() for each in group if isinstance(each, str)]
    assert pins("\n".join(asked)).items() <= PINNED.items()
