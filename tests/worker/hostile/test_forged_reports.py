"""What a report says was run, on what and by what, is so; figures that cannot be are not in it."""

import hashlib

import pytest

from compiler_core.report import Options, decode_event, encode_event
from tests.worker.conftest import Deed
from worker.sandbox.limits import Limits, cpus
from worker.sandbox.session import Host

pytestmark = pytest.mark.service

HOST = Host({"cpu": "An Honest CPU"}, {"torch": "2.13.0"})
MARK = "The run's process said what cannot be so ("
ALL = "from compiler_core.report import *\n"
# Of 18 µs before and 9 after.
TRIAL = (
    "Trial('', {speedup}, times=[TrialTime('core', 18.0, 18.0, 18.0, 9.0, 9.0, 9.0,"
    " {speedup}, {speedup}, {speedup}, 'faster', 9)])"
)
PROGRAM = ALL + "emit(ProgramFound(0, 'f', 'torch', Entry(), []))\n"


def forged(deed: Deed, source: str) -> tuple[list[str], object]:
    """The marks of a report, and the report."""
    outcome = deed(source, host=HOST)
    assert outcome.message == ""
    # What is stored of each event can be read again.
    assert all(decode_event(encode_event(event)) for event in outcome.events)
    return [text for text in outcome.said if text.startswith(MARK)], outcome.report


STARTED = "emit(Started(Snippet('', source), {versions}, Device({device}), Options()))"


def started(versions: str = "{}", device: str = "", source: str = "''") -> str:
    said = STARTED.format(versions=versions, device=device)
    return ALL + f"source = {source}\n" + said


def test_source_options_versions_and_device_are_the_trusted_sides(deed: Deed) -> None:
    source = started("{'torch': '9.9', 'cc': 'gcc 14'}", "'cuda', 'NVIDIA B200', 132")
    marks, report = forged(deed, source)
    assert report.snippet.source == source
    assert report.snippet.sha256 == hashlib.sha256(source.encode()).hexdigest()
    assert report.toolchain == {"torch": "2.13.0", "cc": "gcc 14"}
    assert (report.device.kind, report.device.name) == ("cpu", "An Honest CPU")
    assert report.options == Options()
    assert len(marks) == 1 and marks[0].startswith(MARK + "the device NVIDIA B200)")


def test_another_source_is_told(deed: Deed) -> None:
    marks, _ = forged(deed, started())
    assert len(marks) == 1 and marks[0].startswith(MARK + "another source)")


def test_another_version_is_told(deed: Deed) -> None:
    marks, report = forged(deed, started("{'torch': '9.9'}"))
    assert len(marks) == 1 and marks[0].startswith(MARK + "torch 9.9)")
    assert report.toolchain == {"torch": "2.13.0"}


TIMING = "Timing({us}, {us}, {us}, 1, speedup={speedup}, samples_us=[{us}])"


@pytest.mark.parametrize(
    ("us", "speedup", "what"),
    [
        ("1e-6", "None", "core: a call in 1e-06 µs"),
        ("-5.0", "None", "core: a call in -5 µs"),
        # What the others are compared with, made slow.
        ("9e9", "None", "core: 9e+03 s of calls within "),
        ("9.0", "1e9", "core: 1e+09 times as fast"),
        ("9.0", "-2.0", "core: -2 times as fast"),
        ("9.0", "900000.0", "core: 900000 times as fast, of medians whose ratio is 1.38889"),
    ],
)
def test_times_that_cannot_be_are_left_out(deed: Deed, us: str, speedup: str, what: str) -> None:
    wrong = TIMING.format(us=us, speedup=speedup)
    good = TIMING.format(us="12.5", speedup="None")
    source = PROGRAM + f"emit(Facts(0, timings={{'core': {wrong}, 'eager': {good}}}))"
    marks, report = forged(deed, source)
    assert [*report.programs[0].timings] == ["eager"]
    assert len(marks) == 1 and what in marks[0]


FAST = TIMING.format(us="9.0", speedup="{speedup}")
EAGER = TIMING.format(us="18.0", speedup="None")


@pytest.mark.parametrize(
    ("measurement", "left", "marked"),
    [
        # By its own floor, and by the bytes and operations that it says itself.
        ("floor_us=10.0, floor_by='8 MiB to be moved'", False, "core: 9 µs, of at least 10"),
        ("floor_us=0.1, floor_by='1e+06 MiB to be moved'", False, "core: 9 µs, of at least "),
        ("floor_by='1e+06 GFLOP of matrix products'", False, "core: 9 µs, of at least "),
        ("floor_us=8.9, floor_by='0.1 MiB to be moved'", True, ""),
        ("floor_by='much MiB to be moved'", True, ""),
    ],
)
@pytest.mark.parametrize("apart", [False, True])
def test_times_below_what_a_report_itself_says_they_take_are_no_ratio(
    deed: Deed, measurement: str, left: bool, marked: str, apart: bool
) -> None:
    timings = f"timings={{'eager': {EAGER}, 'core': {FAST.format(speedup='2.0')}}}"
    found = f"measurement=Measurement({measurement})"
    # In another order the time is there already: the mark says that no figure is to be trusted.
    first, then = (found, timings) if apart else (f"{timings}, {found}", "")
    source = PROGRAM + f"emit(Facts(0, {first}))\n" + (f"emit(Facts(0, {then}))" if then else "")
    marks, report = forged(deed, source)
    assert ("core" in report.programs[0].timings) is left
    assert len(marks) == bool(marked) and all(marked in each for each in marks)


def test_a_floor_that_is_said_after_the_time_marks_it(deed: Deed) -> None:
    timings = f"{{'eager': {EAGER}, 'core': {FAST.format(speedup='2.0')}}}"
    first = f"emit(Facts(0, timings={timings}))\n"
    marks, _ = forged(
        deed, PROGRAM + first + "emit(Facts(0, measurement=Measurement(floor_us=10.0)))"
    )
    assert len(marks) == 1 and "core: 9 µs, of at least 10" in marks[0]


def test_a_floor_is_a_number(deed: Deed) -> None:
    found = f"Measurement(floor_us=1.0, floor_by={'9' * 400 + ' MiB to be moved'!r})"
    marks, report = forged(deed, PROGRAM + f"emit(Facts(0, measurement={found}))")
    assert (marks, report.programs[0].measurement.floor_us) == ([], 1.0)


def test_a_time_that_its_own_report_calls_impossible_stands_as_such(deed: Deed) -> None:
    below = "Timing(9.0, 9.0, 9.0, 1, verdict='below the physical floor', samples_us=[9.0])"
    found = "measurement=Measurement(floor_us=10.0)"
    marks, report = forged(deed, PROGRAM + f"emit(Facts(0, timings={{'core': {below}}}, {found}))")
    assert (marks, [*report.programs[0].timings]) == ([], ["core"])


@pytest.mark.parametrize("ms", ["-1.0", "1e12"])
def test_a_stage_takes_no_longer_than_its_run(deed: Deed, ms: str) -> None:
    source = PROGRAM + f"emit(StageDone(0, Stage('capture', 'ok', {ms})))"
    marks, report = forged(deed, source)
    assert report.programs[0].stages[0].ms == 0
    assert len(marks) == 1 and "that capture took" in marks[0]


def test_an_honest_report_is_not_marked(deed: Deed) -> None:
    core = TIMING.format(
        us="1.5", speedup="12.0, speedup_low=11.5, speedup_high=12.25, verdict='faster'"
    )
    source = PROGRAM + (
        f"timings = {{'eager': {EAGER}, 'core': {core}}}\n"
        "emit(Facts(0, timings=timings, measurement=Measurement(fastest=['core', 'eager'])))\n"
        "emit(Facts(0, numerics={'core': Numerics(0.0, 0.0, True)}))\n"
        f"trial = {TRIAL.format(speedup='2.0')}\n"
        "emit(Facts(0, findings=[Finding('graph break', 'dynamo', 'so', trial=trial)]))\n"
        "emit(StageDone(0, Stage('capture', 'ok', 1.5)))\n"
        "emit(StageDone(0, Stage('HLO', 'ok', 1.5, compiler='xla')))"
    )
    marks, report = forged(deed, source)
    program = report.programs[0]
    assert marks == [] and program.timings["core"].speedup == 12
    assert [*program.numerics] == ["core"] and program.findings[0].trial.speedup == 2
    assert [stage.compiler for stage in program.stages] == ["", "xla"]


FASTER = "NVIDIA B200, faster 1000000000x"
NOT_ASKED = f"a compiler {FASTER!r}, which"


@pytest.mark.parametrize(
    "said",
    [
        f"Facts(0, timings={{{FASTER!r}: {EAGER}, 'eager': {EAGER}}})",
        f"Facts(0, numerics={{{FASTER!r}: Numerics(0.0, 0.0, True)}})",
        f"Facts(0, outputs={{{FASTER!r}: []}})",
        f"Facts(0, measurement=Measurement(fastest=['eager', {FASTER!r}]))",
        f"Facts(0, compilers=[CompilerSummary({FASTER!r})])",
        f"Facts(0, timelines=[Timeline({FASTER!r}, 1.0, 1.0, 1)])",
        f"Facts(0, findings=[Finding('graph break', {FASTER!r}, 'so')])",
        f"StageDone(0, Stage('compile', 'ok', 1.0, compiler={FASTER!r}))",
    ],
    ids=lambda said: said.partition("=")[0],
)
def test_a_compiler_that_was_not_asked_for_is_left_out(deed: Deed, said: str) -> None:
    marks, report = forged(deed, PROGRAM + f"emit({said})")
    assert FASTER not in str(report.programs)
    assert len(marks) == 1 and marks[0].startswith(MARK + NOT_ASKED)


def test_a_compiler_that_there_is_has_no_times_unless_it_was_asked_for(deed: Deed) -> None:
    timings = f"{{'eager': {EAGER}, 'iree': {FAST.format(speedup='2.0')}}}"
    marks, report = forged(deed, PROGRAM + f"emit(Facts(0, timings={timings}))")
    assert [*report.programs[0].timings] == ["eager"]
    assert len(marks) == 1 and "a compiler 'iree', which" in marks[0]


# Of eager's 18 µs.
@pytest.mark.parametrize(
    ("core", "what"),
    [
        ("speedup=2.0, speedup_low=2.5, speedup_high=3.0", "2 times as fast, within 2.5 and 3"),
        ("verdict='faster'", "a verdict of faster without an interval that says so"),
        ("speedup=2.0, speedup_low=0.5, speedup_high=3.0, verdict='faster'", "a verdict of faster"),
        ("speedup=2.0, speedup_low=1.5, speedup_high=3.0, verdict='slower'", "a verdict of slower"),
        ("speedup=2.0, verdict='same within noise'", "a verdict of same within noise without"),
        ("pays_after_calls=3", "that it pays after 3 calls, of 0 ms and 9 µs a call"),
        ("compile_ms=9.0, pays_after_calls=3", "that it pays after 3 calls, of 9 ms and 9 µs"),
    ],
)
def test_figures_that_do_not_follow_from_those_beside_them_are_left_out(
    deed: Deed, core: str, what: str
) -> None:
    mark = of_core(deed, f"Timing(9.0, 9.0, 9.0, 1, {core}, samples_us=[9.0])")
    assert MARK + "core: " + what in mark


@pytest.mark.parametrize(
    ("core", "what"),
    [
        ("9.0, 9.0, 9.0, 3, samples_us=[9.0, 80.0, 90.0]", "a median of 9 µs, of samples whose"),
        ("9.0, 9.0, 9.0, 900", "a median of 900 samples, of which 0 are there"),
        ("9.0, 9.0, 9.0, 2, samples_us=[9.0]", "a median of 2 samples, of which 1 are there"),
        ("9.0, 9.5, 9.0, 1, samples_us=[9.0]", "quartiles of 9.5 and 9 µs around 9"),
        ("9.0, 0.1, 9.0, 1, samples_us=[9.0]", "quartiles of 0.1 and 9 µs around 9"),
    ],
)
def test_figures_that_are_not_of_their_samples_are_left_out(
    deed: Deed, core: str, what: str
) -> None:
    assert MARK + "core: " + what in of_core(deed, f"Timing({core})")


def of_core(deed: Deed, timing: str) -> str:
    """The mark of a report with this timing of the core, which is not in it."""
    timings = f"{{'eager': {EAGER}, 'core': {timing}}}"
    marks, report = forged(deed, PROGRAM + f"emit(Facts(0, timings={timings}))")
    assert [*report.programs[0].timings] == ["eager"]
    [mark] = marks
    return mark


@pytest.mark.parametrize(
    ("said", "what", "left"),
    [
        ("baseline='NVIDIA B200'", "the baseline NVIDIA B200", ("baseline", "")),
        (
            "baseline='JAX without jit, operation by operation'",
            "the baseline JAX without jit",
            ("baseline", ""),
        ),
        ("processors=1000000", "1,000,000 processors, of ", ("processors", cpus())),
        ("processors=65000", "65,000 processors, of ", ("processors", cpus())),
        ("threads=65000", "65,000 threads, of ", ("threads", Limits().threads)),
        ("others=65000.0", "65000 processors of others", ("others", None)),
        ("rounds=3, blocks=4", "4 blocks of 3 rounds", ("blocks", 3)),
        ("seconds=1e6", "1e+06 s of measuring within ", ("seconds", 0.0)),
    ],
)
def test_how_it_was_measured_is_what_this_machine_can_be_and_take(
    deed: Deed, said: str, what: str, left: tuple[str, object]
) -> None:
    marks, report = forged(deed, PROGRAM + f"emit(Facts(0, measurement=Measurement({said})))")
    assert getattr(report.programs[0].measurement, left[0]) == left[1]
    assert len(marks) == 1 and what in marks[0]


def test_how_times_were_measured_is_said_as_the_measurement_has_it(deed: Deed) -> None:
    measured = "emit(Facts(0, measurement=Measurement(rounds=3, blocks=1, threads=2)))\n"
    ended = "emit(Finished('by NVIDIA, on a B200'))\nimport os; os._exit(0)"
    marks, report = forged(deed, PROGRAM + measured + ended)
    assert report.protocol == "3 rounds of interleaved samples in 1 blocks over 0.0 s; 2 threads"
    assert len(marks) == 1 and "that times were measured so: by NVIDIA, on a B200" in marks[0]


def test_a_ratio_to_what_is_not_shown_is_left_out(deed: Deed) -> None:
    timings = f"{{'core': {FAST.format(speedup='2.0')}}}"
    marks, report = forged(deed, PROGRAM + f"emit(Facts(0, timings={timings}))")
    assert report.programs[0].timings == {} and len(marks) == 1


@pytest.mark.parametrize(
    "said", ["together={}", "findings=[Finding('graph break', 'dynamo', 'so', trial={})]"]
)
def test_a_remedy_that_is_faster_than_its_own_times_is_left_out(deed: Deed, said: str) -> None:
    facts = said.format(TRIAL.format(speedup="900000.0"))
    marks, report = forged(deed, PROGRAM + f"emit(Facts(0, {facts}))")
    assert "900000" not in str(report.programs) and len(marks) == 1


def test_what_the_service_notices_is_told_from_what_the_run_says(deed: Deed) -> None:
    verified = "Measured by the service; verified by the worker."
    said = f"'warning', {verified!r}"
    source = ALL + f"emit(Noticed(Notice({said})))\nemit(Noticed(Notice({said}, by_service=True)))"
    marks, report = forged(deed, source)
    assert len(marks) == 1 and MARK + "that the service noticed something" in marks[0]
    told = [(notice.text, notice.by_service) for notice in report.notices]
    assert told == [(verified, False), (verified, False), (marks[0], True)]


def test_what_the_service_ended_is_told_from_what_the_run_says_that_it_did(deed: Deed) -> None:
    said = "Failure('deadline', 'The run was stopped at its deadline.', by_service=True)"
    marks, report = forged(deed, PROGRAM + f"emit(ProgramFailed(0, {said}))")
    assert len(marks) == 1 and MARK + "that the service ended it" in marks[0]
    assert not report.programs[0].error.by_service
    outcome = deed(ALL + f"emit(SnippetFailed({said}))\nimport os; os._exit(3)", host=HOST)
    assert outcome.report.error.by_service and "exit code 3" in outcome.message


def test_a_report_of_lies_alone_shows_none_of_them_unmarked(deed: Deed) -> None:
    """Written to the stream itself, as by a compiler that has ended well."""
    wrong = FAST.format(speedup="900000.0")
    source = PROGRAM + (
        f"timings = {{'eager': {EAGER}, {FASTER!r}: {EAGER}, 'core': {wrong}}}\n"
        "emit(Facts(0, timings=timings))\n"
        f"emit(StageDone(0, Stage({FASTER!r}, 'ok', 1.0, compiler={FASTER!r})))\n"
        "emit(Finished())\nimport os; os._exit(0)"
    )
    marks, report = forged(deed, source)
    assert [*report.programs[0].timings] == ["eager"] and report.programs[0].stages == []
    assert len(marks) == 1


def test_marks_are_one_however_many_lies_there_are(deed: Deed) -> None:
    wrong = TIMING.format(us="-1.0", speedup="None")
    source = PROGRAM + f"for _ in range(50): emit(Facts(0, timings={{'core': {wrong}}}))"
    assert len(forged(deed, source)[0]) == 1


@pytest.mark.parametrize("number", [-1, 1, 7, 10**6])
def test_a_program_that_was_not_announced_ends_the_run(deed: Deed, number: int) -> None:
    outcome = deed(PROGRAM + f"emit(StageBegan({number}, 'capture'))")
    assert outcome.stage == "sandbox"
    assert "an event of a program not announced" in outcome.message
