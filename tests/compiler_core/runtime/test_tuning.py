"""What gcc is told of the processor."""

import subprocess

import pytest

from compiler_core.runtime import gcc, tuning

INTEL = "GenuineIntel 6 143 8 x2"
TAKEN = """
void taken(const int *restrict at, const float *restrict x, float *restrict y) {
    for (int i = 0; i < 1024; i++) y[i] = x[at[i]];
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
    assert asked(INTEL, "Not affected", tmp_path) == ("-mtune-ctrl=use_gather",)


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
    assert asked(name, leaks, tmp_path, compiler) == ()


@pytest.mark.cpu
def test_a_flag_that_gcc_does_not_know_is_not_given(monkeypatch):
    compiler = gcc.find_compiler()
    monkeypatch.setattr(tuning, "gathers_quickly", lambda: True)
    monkeypatch.setattr(tuning, "_GATHERS", ("-mtune-ctrl=use_nothing_of_the_kind",))
    assert tuning.tuning_flags.__wrapped__(compiler) == ()


@pytest.mark.cpu
def test_elements_at_computed_places_are_gathered_by_one_instruction(tmp_path):
    compiler = gcc.find_compiler()
    if not tuning.tuning_flags(compiler):
        pytest.skip("this processor is not told to gather")
    file = tmp_path / "taken.c"
    file.write_text(TAKEN)
    command = gcc._command(compiler, str(file), "-", ())
    command = [word for word in command if word != "-shared" and not word.startswith("-l")]
    made = subprocess.run([*command, "-S"], capture_output=True, text=True, check=True).stdout
    assert "vgatherd" in made
