"""`--toolchain NAME`: the command line goes on in that environment, or says what makes it."""

import os
import subprocess
from functools import partial

import pytest

from compiler_core import environments
from compiler_core.__main__ import main
from tests import toolchains


class Moved(Exception):
    """What would have become of the process."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / ".toolchains"
    monkeypatch.setattr(environments, "find", partial(environments.find, folder=folder))

    def move(*what: object) -> None:
        raise Moved(*what)

    monkeypatch.setattr(os, "execve", move)
    return folder


def test_it_goes_on_in_the_toolchains_own_python(folder):
    made = toolchains.make(folder, "jax-9", jax="9.0.0")
    with pytest.raises(Moved) as moved:
        main(["explore", "snippet.py", "--toolchain", "jax-9", "--no-measure"])
    python, command, variables = moved.value.args
    assert python == made.python
    assert command[1:4] == ["-m", "compiler_core", "explore"] and "jax-9" in command
    find = f"e.find('jax-9', e.Path({str(folder)!r}))"
    code = f"from compiler_core import environments as e; print({find}.is_this)"
    done = subprocess.run(
        [python, "-c", code], env=variables, cwd="/", capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("jax-0.9", "is not installed; make it with `make toolchain NAME=jax-0.9`"),
        ("jax-0.1", "there is no toolchain 'jax-0.1'; choose among "),
        ("iree", "it has no framework of its own to run with, only iree_base_compiler"),
    ],
)
def test_another_name_is_one_sentence_with_the_remedy(folder, capsys, name, words):
    toolchains.make(folder, "iree", iree_base_compiler="3.1")
    with pytest.raises(SystemExit) as refused:
        main(["explore", "snippet.py", "--toolchain", name])
    assert refused.value.code == 2
    assert words in capsys.readouterr().err
