"""The C compiler that waits for its text: what it makes, and what becomes of what it does not."""

import os
import signal
import subprocess
import time

import pytest

from compiler_core import pipeline, report
from compiler_core.codegen.c.mathematics import VECTOR_MATH
from compiler_core.errors import ToolchainError
from compiler_core.runtime import gcc, waiting
from compiler_core.runtime.waiting import OWN
from tests.compiler_core.codegen.c.graphs import doubled

pytestmark = pytest.mark.cpu

SEVEN = "int f(void) { return 7; }"


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch):
    """Each text is compiled, though a run of before has."""
    monkeypatch.setattr(gcc, "_run", getattr(gcc._run, "_run", gcc._run))


@pytest.fixture
def waits():
    """One waits."""
    gcc.begin()
    end = time.monotonic() + 60
    while not OWN.waiting.is_ready() and time.monotonic() < end:
        time.sleep(0.005)
    return OWN.waiting


def its_assembly(compiler, source, target):
    assert compiler.compile(str(source), f"cat > {target}", 60.0)
    return without_name(target)


@pytest.fixture
def alone(monkeypatch):
    """What was compiled by gcc itself."""
    found, real = [], gcc._alone
    monkeypatch.setattr(gcc, "_alone", lambda *asked: found.append(asked) or real(*asked))
    return found


def is_running(pid):
    return os.path.exists(f"/proc/{pid}")


def test_programs_are_compiled_by_the_one_that_waits(waits, alone):
    assert [gcc.load(f"int f(void) {{ return {n}; }}").handle.f() for n in range(3)] == [0, 1, 2]
    assert alone == [] and OWN.waiting is waits


@pytest.mark.parametrize("name", ["a kernel", "mathematics"])
def test_what_it_makes_is_gccs_own_to_the_byte(waits, tmp_path, name):
    text = {
        "a kernel": doubled(512, 1024).source.text,
        "mathematics": f"{VECTOR_MATH}SIMD_MATH float expf(float);\n"
        "void f(float *x) { for (int i = 0; i < 99; i++) x[i] = expf(x[i]); }\n",
    }[name]
    source, own, its = tmp_path / "f.c", tmp_path / "own.s", tmp_path / "its.s"
    source.write_text(text)
    subprocess.run([gcc.find_compiler(), *flags(), "-S", "-o", own, source], check=True)
    assert without_name(own) == its_assembly(waits, source, its)


def flags():
    """What gcc is begun with."""
    own = [f for f in gcc.FLAGS if f not in gcc._OF_LIBRARIES]
    return [*own, *gcc.tuning_flags(gcc.find_compiler())]


def without_name(assembly):
    return [line for line in assembly.read_text().splitlines() if ".file" not in line]


def test_a_source_that_it_refuses_is_refused_by_gcc_in_its_own_words(waits):
    with pytest.raises(ToolchainError, match="undeclared"):
        gcc.load("int f(void) { return nothing_of_the_kind; }")
    assert gcc.load(SEVEN).handle.f() == 7 and OWN.waiting is waits


def test_what_it_does_not_do_in_time_is_optimized_less_and_it_is_ended(waits, monkeypatch):
    monkeypatch.setattr(gcc, "LEVELS", (("-O3", 0.0), ("-O1", 60.0)))
    monkeypatch.setattr(gcc, "begin", lambda: None)
    library = gcc.load(SEVEN)
    assert library.handle.f() == 7 and "-O1" in library.note
    assert OWN.waiting is None and not is_running(waits._pid)


def test_one_that_is_gone_is_started_again_and_gcc_compiles_meanwhile(waits, alone):
    os.killpg(waits._pid, signal.SIGKILL)
    assert gcc.load(SEVEN).handle.f() == 7 and len(alone) == 1
    assert OWN.waiting is not waits


def test_a_process_that_is_forked_has_none_and_leaves_its_parents(waits, alone):
    child = os.fork()
    if child == 0:
        os._exit(OWN.waiting is not None)
    assert os.waitpid(child, 0)[1] == 0
    assert gcc.load(SEVEN).handle.f() == 7 and alone == []


def test_a_compiler_that_cannot_wait_is_not_asked_again(tmp_path, alone, monkeypatch):
    other = tmp_path / "gcc"
    other.write_text(
        f'#!/bin/sh\ncase "$*" in *waiting*) exit 1; esac\nexec {gcc.find_compiler()} "$@"\n'
    )
    other.chmod(0o755)
    monkeypatch.setattr(gcc, "find_compiler", lambda: str(other))
    gcc.begin()
    os.waitid(os.P_PID, OWN.waiting._pid, os.WEXITED | os.WNOWAIT)
    assert gcc.load(SEVEN).handle.f() == 7 and len(alone) == 1
    assert OWN.waiting is None


def test_a_gcc_without_what_is_called_of_its_own_makes_the_same_only_later(
    waits, tmp_path, monkeypatch
):
    compiler, source = gcc.find_compiler(), tmp_path / "f.c"
    source.write_text(doubled(512, 1024).source.text)
    monkeypatch.setattr(waiting, "_BUILD", ('-DPUT_OFF="absent"', *waiting._BUILD))
    monkeypatch.setattr(waiting, "_libraries", {})
    other = waiting.Waiting(compiler, flags())
    try:
        assert other.is_ready(within=60.0)
        own, its = (its_assembly(x, source, tmp_path / "f.s") for x in (waits, other))
    finally:
        other.end()
    assert own == its


def test_a_text_that_comes_while_it_starts_waits_for_it(alone):
    OWN.end()
    gcc.warm_up()
    alone.clear()
    gcc.begin()
    assert gcc.load(SEVEN).handle.f() == 7 and alone == []


def test_it_starts_before_the_snippet_runs(monkeypatch):
    order = []
    monkeypatch.setattr(OWN, "begin", lambda *asked: order.append("begun"))
    monkeypatch.setattr(waiting, "runs", lambda: order.append("runs"), raising=False)
    source = "from compiler_core.runtime.waiting import runs\nruns()"
    pipeline.explore(source, report.Options(device="cpu"), lambda event: None)
    assert order == ["begun", "runs"]


def test_its_processes_end_with_it(waits):
    OWN.end()
    assert OWN.waiting is None and not is_running(waits._pid)
