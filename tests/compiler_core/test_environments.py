"""Which toolchains are installed, and what they have."""

from pathlib import Path

import pytest

from compiler_core.environments import FOLDER, find, installed, versions
from compiler_core.errors import NoToolchain
from compiler_core.toolchain import toolchain
from tests import toolchains


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".toolchains"


def test_a_toolchain_has_its_own_versions_and_the_main_ones(folder: Path) -> None:
    made = toolchains.make(folder, "jax-9", jax="9.9.9", jaxlib="9.9.8")
    assert made.own == {"jax": "9.9.9", "jaxlib": "9.9.8"}
    main = {name: version for name, version in toolchain().items() if name != "cc"}
    assert made.versions == main | made.own
    assert made.python.exists() and not made.is_this


def test_the_base_of_one_that_was_made_by_a_linked_python_is_where_that_is(folder: Path) -> None:
    """As /bin is a link to /usr/bin: what lies beside it is everything."""
    made, link = toolchains.make(folder, "jax-9", jax="9.9.9"), folder.parent / "bin"
    link.symlink_to(made.base / "bin")
    config = made.folder / "pyvenv.cfg"
    lines = [line for line in config.read_text().splitlines() if not line.startswith("home")]
    config.write_text("\n".join([f"home = {link}", *lines]))
    assert installed(folder)["jax-9"].base == made.base


def test_one_without_a_framework_of_its_own_is_for_something_else(folder: Path) -> None:
    assert toolchains.make(folder, "torch-9", torch="9.0").serves_runs
    assert not toolchains.make(folder, "iree", iree_base_compiler="3.1").serves_runs


def test_one_that_lacks_a_framework_is_for_something_else(folder: Path) -> None:
    made = toolchains.make(folder, "torch-9", torch="9.0")
    for seen in made.folder.glob("lib/python*/site-packages/*.pth"):
        seen.unlink()
    assert installed(folder)["torch-9"].versions.keys() == {"python", "torch"}
    assert not installed(folder)["torch-9"].serves_runs


def test_a_half_made_environment_and_a_strange_name_are_none(folder: Path) -> None:
    toolchains.make(folder, "whole", jax="9.9.9")
    (folder / "half" / "bin").mkdir(parents=True)
    (folder / "Not A Name").symlink_to(folder / "whole")
    assert set(installed(folder)) == {"whole"}
    assert installed(folder / "nowhere") == {}


def test_one_that_is_not_installed_is_named_with_what_makes_it(folder: Path) -> None:
    with pytest.raises(NoToolchain, match="not installed") as known:
        find("jax-0.9", folder)
    assert known.value.remedy == "make it with `make toolchain NAME=jax-0.9`"
    toolchains.make(folder, "jax-9", jax="9.9.9")
    with pytest.raises(NoToolchain, match="no toolchain 'jax-1'") as unknown:
        find("jax-1", folder)
    assert "jax-0.9" in unknown.value.remedy and "jax-9" in unknown.value.remedy
    assert find("jax-9", folder).name == "jax-9"


def test_the_first_of_several_versions_on_a_path_counts(folder: Path) -> None:
    one, two = (toolchains.make(folder, name, jax=name) for name in ("1.0", "2.0"))
    sites = [next(each.folder.glob("lib/python*/site-packages")) for each in (one, two)]
    assert versions(sites, ["jax", "torch"]) == {"jax": "1.0"}
    assert versions(sites[::-1], ["jax"]) == {"jax": "2.0"}


def test_the_folder_is_the_projects() -> None:
    assert (FOLDER.parent / "compiler_core" / "environments.py").is_file()
