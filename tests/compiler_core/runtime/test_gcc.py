"""The C compiler: absent, refusing, too slow; and the command that is shown."""

import ctypes
import os
import shlex
import shutil
import subprocess
import time

import numpy as np
import pytest

from compiler_core.codegen.c.mathematics import VECTOR_MATH
from compiler_core.errors import ToolchainError
from compiler_core.runtime import gcc
from tests.compiler_core.codegen.c.graphs import doubled

pytestmark = pytest.mark.cpu


def test_a_machine_without_a_compiler_gets_a_remedy(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    gcc.find_compiler.cache_clear()
    try:
        with pytest.raises(ToolchainError, match="no C compiler") as caught:
            doubled(2)
        assert "install gcc" in caught.value.remedy
    finally:
        gcc.find_compiler.cache_clear()


def test_a_refused_source_shows_what_the_compiler_said():
    with pytest.raises(ToolchainError, match="undeclared"):
        gcc.load("int f(void) { return nothing_of_the_kind; }")


def pretending(folder, *lines):
    """A compiler of these lines of shell, which starts a process of its own as gcc does."""
    script = folder / "gcc"
    script.write_text("\n".join(("#!/bin/sh", *lines)) + "\n")
    script.chmod(0o755)
    return lambda: str(script)


def test_what_takes_too_long_to_optimize_is_optimized_less_and_says_so(monkeypatch, tmp_path):
    slow = 'case "$*" in *-O3*) sleep 100; esac', f'exec {shutil.which("gcc")} "$@"'
    monkeypatch.setattr(gcc, "find_compiler", pretending(tmp_path, *slow))
    monkeypatch.setattr(gcc, "LEVELS", (("-O3", 0.2), ("-O1", 60.0)))
    start = time.perf_counter()
    library = gcc.load("int f(void) { return 7; }")
    assert time.perf_counter() - start < 90 and library.handle.f() == 7
    assert "-O1" in library.command.split() and "-O3" not in library.command.split()
    assert library.note == "optimized less (-O1): the C compiler did not end within 0 s at -O3"


def test_a_compiler_that_never_ends_is_ended(monkeypatch, tmp_path):
    monkeypatch.setattr(gcc, "find_compiler", pretending(tmp_path, "sleep 30"))
    monkeypatch.setattr(gcc, "tuning_flags", lambda compiler: ())
    monkeypatch.setattr(gcc, "LEVELS", (("-O3", 0.1), ("-O1", 0.1)))
    with pytest.raises(ToolchainError, match="did not end within 0 seconds") as caught:
        gcc.load("int f(void) { return 7; }")
    assert caught.value.remedy == "try a smaller program"


@pytest.mark.parametrize("name", ["doubled", "exp", "half"])
def test_the_command_that_is_shown_compiles_the_program(name, tmp_path):
    text = {
        "doubled": doubled(512, 1024).source.text,
        "exp": VECTOR_MATH
        + "SIMD_MATH double exp(double); double run0(double x) { return exp(x); }",
        "half": "_Float16 run0(double x) { return (_Float16)x; }",
    }[name]
    shown = gcc.load(text, name).command
    (tmp_path / f"{name}.c").write_text(text)
    subprocess.run(shlex.split(shown), cwd=tmp_path, check=True)
    assert ctypes.CDLL(str(tmp_path / f"{name}.so"), mode=os.RTLD_NOW).run0


def test_programs_load_where_there_is_no_vector_mathematics(monkeypatch):
    monkeypatch.setattr(gcc, "library_flags", lambda: ("-DSCALAR_MATH", "-lm"))
    text = (
        f"{VECTOR_MATH}SIMD_MATH double sinh(double); double run0(double x) {{ return sinh(x); }}"
    )
    function = gcc.load(text).handle.run0
    function.restype, function.argtypes = ctypes.c_double, (ctypes.c_double,)
    assert function(1.0) == np.sinh(1.0)


@pytest.mark.parametrize("name", ["f" * 9000, "é" * 200])
def test_a_program_of_any_name_is_compiled(name):
    library = gcc.load("int three(void) { return 3; }", name)
    assert library.handle.three() == 3
