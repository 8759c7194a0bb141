"""The suite of families: what it is of, in which sizes, and what is said of a recorded run."""

import ast
from collections import Counter
from dataclasses import replace

import pytest

from bench.against import Pair, said
from bench.page import page
from bench.record import CoreCounts, as_json, row
from bench.subjects import DTYPES, SIZES, sized
from bench.suites import SUITES
from bench.warm import Asked, explored
from compiler_core import inputs
from tests.bench.test_record import FAST, program

FAMILIES = SUITES["families"]()
FILES = sorted({each.file for each in FAMILIES})


def test_sixty_programs_of_fifteen_families_in_both_frameworks():
    frameworks = Counter(file.stem.partition("_")[0] for file in FILES)
    assert len(FILES) >= 60 and len({file.parent.name for file in FILES}) >= 15
    assert set(frameworks) == {"torch", "jax"} and min(frameworks.values()) >= 25


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_program_is_one_function_with_inputs_in_each_size(file):
    functions = [x.name for x in ast.parse(file.read_text()).body if isinstance(x, ast.FunctionDef)]
    subjects = list(sized(file))
    assert functions[-1] == "f" and len(subjects) in (len(SIZES), len(SIZES) * len(DTYPES))
    for subject in subjects:
        (call,) = inputs.calls(subject.inputs)
        assert call.inputs.positional


def test_inputs_are_in_the_dtype_of_the_subject():
    of = {each.name: each for each in FAMILIES}
    assert of["torch_softmax-small-bf16"].inputs == "bf16[128,128]"
    assert of["torch_softmax-large-f32"].inputs == "f32[4096,4096]"
    assert "torch_adam_step-small-bf16" not in of


@pytest.mark.cpu
def test_a_subject_is_explored_with_its_inputs():
    subject = next(each for each in FAMILIES if each.name == "jax_polynomial-small-f32")
    asked = Asked(subject.file.read_text(), ("core",), subject.inputs, measure=False)
    (found,) = explored(asked, 1).programs
    assert found.inputs == ["f32[128,128]"] and found.numerics["core"].ok


def test_two_versions_are_told_apart_by_their_ratios():
    pairs = [Pair("a", [20.0, 30.0], [10.0]), Pair("b", [10.0], [10.1]), Pair("c", [], [5.0])]
    assert list(said(pairs)) == [
        "a: 2.50", "c: not measured by both",
        "geometric mean of before / now over 2 programs: 1.573",
    ]  # fmt: skip


def test_what_two_versions_took_to_compile_is_compared_as_well():
    pairs = [Pair("a", [1.0], [1.0], ([80.0, 90.0], [40.0])), Pair("b", [1.0], [1.0])]
    assert list(said(pairs)) == [
        "geometric mean of before / now over 2 programs: 1.000",
        "compiling: geometric mean of before / now over 1 programs: 2.125",
    ]


def test_the_page_of_a_recorded_run_has_its_families_and_its_losses():
    rows = [row("ahead", [program(FAST)], ""), row("slow", [program(FAST | {"core": 80.0})], "")]
    recorded = {
        "date": "2026-11-23T10:00:00+00:00", "rounds": 1, "process": "warm", "load_before": 0.1,
        "device": {"name": "A processor", "threads": 2}, "toolchain": {"torch": "2.13.0"},
        "programs": as_json(rows),
    }  # fmt: skip
    text = "\n".join(page(recorded))
    assert "1 of 2 are below 0.9 of the best." in text
    assert "| slow | 0.25 | 80.00 | 20.00 | inductor |" in text
    assert "2026-11-23, A processor, 2 threads; torch 2.13.0." in text
    both = "\n".join(page(recorded, sixteen=recorded))
    _, of_sixteen = both.split("## In bf16")
    assert (
        "## In bf16" not in text and both.count("| slow | 0.25 | 80.00 | 20.00 | inductor |") == 2
    )
    assert "1 of 2 are below 0.9 of the best." in of_sixteen


def test_the_page_says_what_the_core_made_of_whole_models():
    made = CoreCounts(2, 1, 5, {"mm": 3}, 30, 10, 4)
    recorded = {
        "date": "2026-11-23T10:00:00+00:00", "rounds": 1, "process": "warm", "load_before": 0.1,
        "device": {"name": "A processor", "threads": 2}, "toolchain": {"torch": "2.13.0"},
        "programs": as_json([replace(row("ahead", [program(FAST)], ""), made=made)]),
    }  # fmt: skip
    _, of_models = "\n".join(page(recorded, models=[recorded])).split("## Whole models")
    assert "| ahead | 2 | 1 | 5 | 75% | mm 3 | 4 |" in of_models


def test_a_program_that_was_measured_again_is_shown_by_its_later_run():
    def run(date: str, **us: float) -> dict:
        return {
            "date": date, "rounds": 1, "process": "warm", "toolchain": {"torch": "2.13.0"},
            "device": {"name": "A processor", "threads": 2}, "load_before": 0.0,
            "programs": as_json([row(n, [program(FAST | {"core": x})], "") for n, x in us.items()]),
        }  # fmt: skip

    first, second = run("2026-11-23T10:00", a=40.0, b=40.0), run("2026-11-24T10:00", b=10.0)
    _, text = "\n".join(page(first, models=[first, second])).split("## Whole models")
    assert "1 of 2 programs:\n2026-11-23, A" in text and "1 of 2 programs:\n2026-11-24" in text
    assert "| a | 40.00 | 20.00 | 30.00 | 40.00 | 0.50 |" in text
    assert "| b | 40.00 | 20.00 | 30.00 | 10.00 | 2.00 |" in text
