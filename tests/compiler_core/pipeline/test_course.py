"""The exercises of the courses that ship: what is begun with does not pass, and the answer does."""

import re
from functools import cache, reduce

import msgspec
import pytest

from compiler_core import report
from compiler_core.pipeline.order import explore
from webapp.workshops.courses.shelf import shelf
from webapp.workshops.exercises import alone, calls, checking, definition, trying
from webapp.workshops.exercises import figures as figures_by_themselves
from webapp.workshops.exercises.definition import Definition
from webapp.workshops.exercises.judging import Seen
from webapp.workshops.exercises.kinds import Equal, Recompiles
from webapp.workshops.exercises.outputs import Outputs, difference

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

EXERCISES = {
    f"{course}/{each.name}": each for course, held in shelf().items() for each in held.exercises
}


@cache
def wanted(name: str) -> Definition:
    read = definition.read(EXERCISES[name].files["exercise.toml"])
    assert isinstance(read, Definition), read
    return read


@cache
def ran(name: str, source: str) -> report.Report:
    """A text run as the exercise calls it, on the numbers of a seed."""
    asked = {"device": "cpu", "target": "sm_90", "inputs": wanted(name).call, "seed": 12345}
    options = msgspec.convert(trying.needs(wanted(name)) | asked, report.Options)
    events: list[report.Event] = []
    explore(source, options, events.append)
    return reduce(report.apply, events, report.Report())


def checked(name: str, file: str) -> list[checking.Result]:
    return checking.check(wanted(name), ran(name, EXERCISES[name].files[file]))


def given(name: str, source: str, compiler: str = "core") -> Outputs:
    """What the exercise's call gives in this text."""
    [program] = checking.called(ran(name, source), wanted(name).call)
    return program.outputs[compiler]


def tolerance(name: str) -> float:
    [found] = [each for each in wanted(name).check if isinstance(each, Equal)]
    return found.tolerance


@pytest.mark.parametrize("name", EXERCISES)
def test_what_is_begun_with_does_not_pass(name):
    seen = checked(name, "start.py")
    assert not all(each.passed for each in seen), seen


@pytest.mark.parametrize("name", EXERCISES)
def test_the_answer_passes(name):
    seen = checked(name, "answer.py")
    assert all(each.passed or each.pending for each in seen), seen


def test_a_spread_is_as_wrong_as_its_text_says():
    name = "why-not-faster/a-spread-that-cancels"
    text, start = wanted(name).text, EXERCISES[name].files["start.py"]
    assert "wrong by a tenth of its value and more" in " ".join(text.split())
    # On the exercise's numbers, and on those that the text itself calls it with.
    events: list[report.Event] = []
    explore(start, report.Options(device="cpu", measure=False), events.append)
    for whole in (ran(name, start), reduce(report.apply, events, report.Report())):
        [program] = whole.programs
        assert all(program.numerics[each].max_rel_error > 0.1 for each in ("eager", "core"))


# Texts that have the figures that an exercise asks for, and not what it teaches: of each what is
# put in the place of what in the answer, and the check that sees it.
NOT_MEANT = {
    "clip-in-the-graph": (
        "lax.cond(norm > 1.0, lambda g: g / norm, lambda g: g, g)",
        "jnp.where(norm > 1.0, g / norm, g)",
        'There is no operation "cond" in "clipped".',
    ),
    "softmax-one-kernel": (
        "x - x.amax(-1, keepdim=True)",
        "x",
        "An output is not finite where float64's is.",
    ),
}


@pytest.mark.parametrize("name", NOT_MEANT)
def test_what_is_taught_is_checked(name):
    written, instead, says = NOT_MEANT[name]
    name = f"why-not-faster/{name}"
    answer = EXERCISES[name].files["answer.py"]
    assert written in answer
    seen = checking.check(wanted(name), ran(name, answer.replace(written, instead)))
    assert [each.says for each in seen if not each.passed and not each.pending] == [says]


def recompiled(source: str) -> Seen:
    """What the check of recompiles sees in a text of its exercise."""
    name = "why-not-faster/one-compilation"
    [check] = [each for each in wanted(name).check if isinstance(each, Recompiles)]
    events: list[report.Event] = []
    explore(calls.snippet(source, check), calls.options(source), events.append)
    return calls.judge(check, reduce(report.apply, events, report.Report()))


@pytest.mark.parametrize(("file", "passes"), [("start.py", False), ("answer.py", True)])
def test_the_calls_of_the_exercise_itself_compile_again_until_it_is_mended(file, passes):
    seen = recompiled(EXERCISES["why-not-faster/one-compilation"].files[file])
    assert seen.passed == passes, seen


# What is compiled beside the work of the exercise's function, and is called there: something else,
# the same with its result thrown away, and the same with next to nothing of its result.
BESIDE = {
    "something else": ("lambda x, t: x", "nothing(logits, temperature)"),
    "thrown away": ("tempered", "nothing(logits, torch.tensor(temperature))"),
    "next to nothing": ("tempered", "logits = logits + 0 * nothing(logits, torch.tensor(1.0))"),
}


@pytest.mark.parametrize(("compiled", "called"), BESIDE.values(), ids=[*BESIDE])
def test_what_is_compiled_beside_the_work_is_compiled_once_and_does_not_pass(compiled, called):
    source = EXERCISES["why-not-faster/one-compilation"].files["start.py"]
    source = source.replace("@torch.compile\n", "")
    source = source.replace("def sample", f"nothing = torch.compile({compiled})\n\n\ndef sample")
    source = source.replace("    return tempered(", f"    {called}\n    return tempered(")
    seen = recompiled(source)
    assert not seen.passed
    assert 'not all of its work is compiled: what runs outside is "' in seen.says
    assert '"div"' in seen.says


def test_no_number_makes_softmax_safe():
    name = "why-not-faster/softmax-one-kernel"
    answer = EXERCISES[name].files["answer.py"]
    right = given(name, answer, "eager")
    for number in (20, 200):
        source = answer.replace("x.amax(-1, keepdim=True)", f"{number}.0")
        assert source != answer
        assert difference(given(name, source), right, tolerance(name)), number


@pytest.mark.parametrize("name", EXERCISES)
def test_what_is_compiled_of_the_answer_gives_what_the_framework_does(name):
    answer = EXERCISES[name].files["answer.py"]
    right = given(name, answer, "eager")
    assert len(right) == 2 and all(right)
    assert not difference(given(name, answer), right, tolerance(name))


@pytest.mark.parametrize("name", EXERCISES)
def test_no_exercise_is_passed_by_a_function_that_returns_zeros(name):
    right = given(name, EXERCISES[name].files["answer.py"], "eager")
    zeros = [
        [msgspec.structs.replace(each, values=["0.0"] * len(each.values)) for each in call]
        for call in right
    ]
    assert difference(zeros, right, tolerance(name))
    # Both calls give numbers, of which some are not nothing.
    assert all(any(float(value) for each in call for value in each.values) for call in right)


@pytest.mark.parametrize("name", EXERCISES)
def test_what_is_captured_of_the_answer_has_its_figures_by_itself_and_gives_the_same(name):
    files = EXERCISES[name].files
    [program] = checking.called(ran(name, files["answer.py"]), wanted(name).call)
    [text] = [
        artifact.text
        for stage in program.stages
        for artifact in stage.artifacts
        if (stage.name, artifact.kind) == ("capture", "ir")
    ]
    source = alone.composed(text, wanted(name).call, files["answer.py"])
    assert source is not None
    [by_itself] = checking.called(ran(name, source), wanted(name).call)
    for each in ("launches", "library_calls", "bytes"):
        figures = [
            [getattr(c, each).value for c in p.compilers if c.compiler == "core"]
            for p in (program, by_itself)
        ]
        assert figures[0] == figures[1] != [None]
    assert figures_by_themselves.wrong(wanted(name), ran(name, source)) == ""
    assert not difference(
        by_itself.outputs["core"], given(name, files["answer.py"], "eager"), tolerance(name)
    )


@pytest.mark.parametrize("name", ["clip-in-the-graph", "decide-in-the-graph"])
def test_what_is_decided_by_a_size_is_decided_both_ways(name):
    name = f"why-not-faster/{name}"
    source = EXERCISES[name].files["answer.py"]
    right = given(name, source, "eager")
    for way in ("< 0", ">= 0"):
        one = re.sub(r"(norm) > 1.0|(y.mean\(\)) > 0.1", rf"(\1\2 * 0 {way})", source)
        assert one != source
        assert difference(given(name, one), right, 1e-4)


@pytest.mark.parametrize("name", EXERCISES)
def test_no_check_is_of_time(name):
    assert not trying.needs(wanted(name))["measure"]
