"""What `make toolchain` does: which Python gets which packages."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from scripts import lock, toolchain


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Of what is run, and does nothing here."""
    run: list[list[str]] = []

    def recorded(command: list[object], **_: object) -> subprocess.CompletedProcess[str]:
        run.append([str(each) for each in command])
        if "venv" in run[-1]:
            Path(run[-1][-1]).mkdir(parents=True, exist_ok=True)
        return subprocess.CompletedProcess(command, 0, '{"install": []}')

    monkeypatch.setattr(toolchain.subprocess, "run", recorded)
    monkeypatch.setattr(toolchain, "ENVIRONMENTS", tmp_path / ".toolchains")
    monkeypatch.setattr(toolchain, "PINS", tmp_path)
    monkeypatch.setenv("PYTHON", sys.executable)
    return run


def installs(commands: list[list[str]]) -> list[list[str]]:
    return [each for each in commands if "install" in each]


def pinned(folder: Path, text: str) -> None:
    (folder / "it.txt").write_text(text)


def test_pins_alone_are_installed_and_the_rest_is_seen(commands, tmp_path) -> None:
    pinned(tmp_path, "jax==0.9.2\njaxlib==0.9.2\n")
    made = toolchain.make("it")
    (install,) = installs(commands)
    assert install[install.index("--python") + 1] == str(made)
    assert install[-3:] == ["--no-deps", "jax==0.9.2", "jaxlib==0.9.2"]
    assert list(toolchain.site(made.parents[1]).glob("*.pth"))
    assert toolchain.make("it") == made and len(installs(commands)) == 1


def test_what_has_hashes_is_held_to_them(commands, tmp_path) -> None:
    pinned(tmp_path, "jax==0.9.2\n")
    (tmp_path / "locked").mkdir()
    lock = tmp_path / "locked" / "it.txt"
    lock.write_text("jax==0.9.2 \\\n    --hash=sha256:00\n")
    toolchain.make("it")
    (install,) = installs(commands)
    assert install[-4:] == ["--no-deps", "-c", str(lock), "jax==0.9.2"]


def test_all_of_a_newer_python_is_held_to_hashes_where_its_pins_are(commands, tmp_path) -> None:
    major, minor = sys.version_info[:2]
    pinned(tmp_path, f"# Python {major}.{minor + 1}\njax==0.11.0\n")
    (tmp_path / "locked").mkdir()
    (tmp_path / "locked" / "it.txt").write_text("jax==0.11.0 \\\n    --hash=sha256:00\n")
    toolchain.make("it")
    (limits,) = (c[c.index("-c") + 1] for c in installs(commands) if "-c" in c)
    text = Path(limits).read_text()
    assert text.count("\njax==") == 1 and "jax==0.11.0 \\\n    --hash=sha256:00\n" in text
    assert all("--hash=" in each for each in lock.blocks(text))


@pytest.mark.parametrize("held", [True, False], ids=["its hash", "another hash"])
def test_hashes_are_held_by_the_pip_that_installs(tmp_path, monkeypatch, capfd, held) -> None:
    """For real, of a wheel that lies in a folder."""
    wheel = _wheel(tmp_path / "wheels")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest() if held else "0" * 64
    pinned(tmp_path, "# alone\nplain==1.0\n")
    (tmp_path / "locked").mkdir()
    (tmp_path / "locked" / "it.txt").write_text(f"plain==1.0 --hash=sha256:{digest}\n")
    monkeypatch.setattr(toolchain, "ENVIRONMENTS", tmp_path / ".toolchains")
    monkeypatch.setattr(toolchain, "PINS", tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    if held:
        subprocess.run([toolchain.make("it"), "-c", "import plain"], check=True)
    else:
        with pytest.raises(subprocess.CalledProcessError):
            toolchain.make("it")
        assert "DO NOT MATCH THE HASHES" in capfd.readouterr().err


def _wheel(folder: Path) -> Path:
    """A package with one empty module."""
    folder.mkdir()
    wheel, about = folder / "plain-1.0-py3-none-any.whl", "plain-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("plain.py", "")
        file.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: plain\nVersion: 1.0\n")
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        file.writestr(f"{about}/RECORD", "")
    return wheel


def test_another_compilers_environment_sees_nothing(commands, tmp_path) -> None:
    pinned(tmp_path, "# alone: it has its own\niree-base-compiler==3.13.0\n")
    made = toolchain.make("it")
    assert installs(commands)[0][-1] == "iree-base-compiler==3.13.0"
    assert not list(toolchain.site(made.parents[1]).glob("from-*.pth"))


def test_a_newer_python_gets_all_that_the_compiler_needs(commands, tmp_path) -> None:
    major, minor = sys.version_info[:2]
    pinned(tmp_path, f"# Python {major}.{minor + 1}\njax==0.11.0\njaxlib==0.11.0\n")
    made = toolchain.make("it")
    *_, create, install, itself = commands
    assert itself[-3:] == ["--no-deps", "--editable", str(toolchain.ROOT)]
    assert create[1:] == ["-m", "venv", "--clear", "--without-pip", str(made.parents[1])]
    packages = {each.partition("==")[0]: each for each in install if "==" in each}
    assert packages["jax"] == "jax==0.11.0" and {"torch", "triton", "msgspec"} <= set(packages)
    limits = Path(install[install.index("-c") + 1]).read_text().splitlines()
    assert not any(line.startswith(("jax==", "jaxlib==")) for line in limits) and len(limits) > 20


def test_one_that_has_everything_is_made_anew_when_the_compiler_needs_more(
    commands, tmp_path, monkeypatch
) -> None:
    major, minor = sys.version_info[:2]
    pinned(tmp_path, f"# Python {major}.{minor + 1}\njax==0.11.0\n")
    toolchain.make("it")
    once = len(installs(commands))
    toolchain.make("it")
    assert len(installs(commands)) == once
    needs = toolchain._needs()
    monkeypatch.setattr(toolchain, "_needs", lambda: [*needs, "new==1.0"])
    toolchain.make("it")
    packages, _ = installs(commands)[once:]
    assert "new==1.0" in packages


def test_where_this_python_is_new_enough_only_the_pins_are_installed(commands, tmp_path) -> None:
    pinned(tmp_path, "# Python 3.11\njax==0.11.0\n")
    toolchain.make("it")
    assert [command[-2:] for command in installs(commands)] == [["--no-deps", "jax==0.11.0"]]


@pytest.mark.parametrize(
    ("name", "words"),
    [("it", "needs python9.9, which is not here"), ("none", "choose among it")],
)
def test_what_cannot_be_made_is_one_sentence(tmp_path, monkeypatch, name, words) -> None:
    monkeypatch.setattr(toolchain, "PINS", tmp_path)
    monkeypatch.setattr(toolchain, "ENVIRONMENTS", tmp_path / ".toolchains")
    pinned(tmp_path, "# Python 9.9\njax==0.11.0\n")
    with pytest.raises(SystemExit, match=words):
        toolchain.make(name)
