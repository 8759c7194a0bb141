"""What gcc is told of the processor."""

import subprocess
from pathlib import Path

import pytest

from compiler_core.runtime import gcc, tuning

INTEL = "GenuineIntel 6 143 8 x2"
TAKEN = """
void taken(const int *restrict at, const float *restrict x, float *restrict y) {
    for (int i = 0; i < 1024; i++) y[i] = x[at[i]];
}
"""
# The greatest of each three numbers, NaN if one is.
EXTREMA = """
static inline float max_f32(float a, float b) { return a > b || a != a ? a : b; }
void extrema(const float *restrict x, float *restrict y, float *restrict z) {
    #pragma omp simd
    for (int i = 0; i < 1024; i++) {
        float most = -__builtin_inff(), least = most;
        for (int r = 0; r < 3; r++) {
            most = max_f32(most, x[3 * i + r]);
            least = max_f32(least, -x[3 * i + r]);
        }
        y[i] = most;
        z[i] = least;
    }
}
"""


@pytest.fixture
def asked(monkeypatch):
    """A processor by its name and what Linux says of its leaks; gcc knows every flag."""
    monkeypatch.setattr(tuning, "_knows", lambda compiler, flag: True)

    def flags(name, leaks, folder, compiler="/usr/bin/gcc"):
        monkeypatch.setattr(tuning, "processor", lambda: name)
        file = folder / "leaks"
        if leaks:
            file.write_text(f"{leaks}\n")
        monkeypatch.setattr(tuning, "_LEAKS", file)
        return tuning.tuning_flags.__wrapped__(compiler)

    return flags


def test_gathers_are_taken_where_one_is_quick(asked, tmp_path):
    assert asked(INTEL, "Not affected", tmp_path)[-1] == "-mtune-ctrl=use_gather"


@pytest.mark.parametrize(
    ("name", "leaks", "compiler"),
    [
        (INTEL, "Mitigation: Microcode", "gcc"),
        (INTEL, "", "gcc"),
        ("AuthenticAMD 26 2 1 x2", "Not affected", "gcc"),
        (INTEL, "Not affected", "cc"),
    ],
)
def test_no_other_processor_or_compiler_is_told_of_gathers(asked, tmp_path, name, leaks, compiler):
    assert not _of_the_processor(asked(name, leaks, tmp_path, compiler))


@pytest.mark.cpu
def test_a_flag_that_gcc_does_not_know_is_not_given(monkeypatch):
    compiler = gcc.find_compiler()
    monkeypatch.setattr(tuning, "gathers_quickly", lambda: True)
    monkeypatch.setattr(tuning, "_GATHERS", ("-mtune-ctrl=use_nothing_of_the_kind",))
    assert not _of_the_processor(tuning.tuning_flags.__wrapped__(compiler))


@pytest.mark.cpu
def test_elements_at_computed_places_are_gathered_by_one_instruction(tmp_path):
    compiler = gcc.find_compiler()
    if not _of_the_processor(tuning.tuning_flags(compiler)):
        pytest.skip("this processor is not told to gather")
    assert "vgatherd" in _assembly(TAKEN, tmp_path)


@pytest.mark.cpu
@pytest.mark.parametrize(
    "flags", [pytest.param(False, id="without"), pytest.param(True, id="with")]
)
def test_conditions_that_are_selects_stay_in_vectors(monkeypatch, tmp_path, flags):
    if Path(gcc.find_compiler()).name != "gcc":
        pytest.skip("of gcc alone")
    if not flags:
        monkeypatch.setattr(tuning, "_NO_BRANCHES", ())
        monkeypatch.setattr(gcc, "tuning_flags", tuning.tuning_flags.__wrapped__)
    made = _assembly(EXTREMA, tmp_path)
    assert ("cmpltps" in made or "cmpps" in made) is flags


def _of_the_processor(flags):
    return set(flags) - set(tuning._NO_BRANCHES)


def _assembly(text, folder):
    """What gcc makes of a text, with the flags that programs are compiled by."""
    file = folder / "text.c"
    file.write_text(text)
    command = gcc._command(gcc.find_compiler(), str(file), "-", ())
    command = [word for word in command if word != "-shared" and not word.startswith("-l")]
    return subprocess.run([*command, "-S"], capture_output=True, text=True, check=True).stdout
