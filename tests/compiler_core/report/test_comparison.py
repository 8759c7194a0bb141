"""Two reports beside one another: what differs is said, what does not is left out."""

import msgspec

from compiler_core import report
from compiler_core.report.comparison import comparison
from compiler_core.report.differences import compared


def stage(name: str, text: str, summary: str = "") -> report.Stage:
    return report.Stage(name, "ok", 1.0, [report.Artifact("ir", "ir", "fuselab", text)], "pass",
        summary=summary)  # fmt: skip


def kernel(name: str, library: str | None = None) -> report.Kernel:
    return report.Kernel(name, "elementwise", library, ["add"], 8, 8, [1])


def report_with(**changes: object) -> report.Report:
    program = report.Program(
        "f",
        "jax",
        stages=[stage("fuse", "a\nb\n", "1 kernel")],
        kernels=[kernel("k0")],
        summary=report.Summary(launches_core=1, bytes_core=1024),
        numerics={"core": report.Numerics(1e-7, 1e-6, ok=True)},
        timings={
            "core": report.Timing(10.0, 9.0, 11.0, 5),
            "xla": report.Timing(20.0, 19.0, 21.0, 5),
        },
    )
    whole = report.Report(toolchain={"jax": "0.10.2", "torch": "2.13.0"}, programs=[program])
    for name, value in changes.items():
        setattr(whole if hasattr(whole, name) else program, name, value)
    return whole


def lines(a: report.Report, b: report.Report) -> list[str]:
    return [" ".join(line.split()) for line in comparison(a, b, ("a.json", "b.json")).splitlines()]


def test_equal_reports_differ_in_nothing() -> None:
    said = lines(report_with(), report_with())
    assert "the same versions and options" in said
    assert "the same launches, bytes, errors and texts" in said
    assert "core 10.0 10.0 same within noise" in said


def test_versions_options_and_devices_are_named_where_they_differ() -> None:
    other = report_with(
        toolchain={"jax": "0.9.2", "torch": "2.13.0"}, options=report.Options(toolchain="jax-0.9")
    )
    said = lines(report_with(), other)
    assert "jax 0.10.2 0.9.2" in said and "option toolchain none jax-0.9" in said
    assert not any(line.startswith("torch") for line in said)


def test_kernels_and_bytes_are_counted() -> None:
    other = report_with(
        kernels=[kernel("k0"), kernel("k1"), kernel("k2", "mkl")],
        summary=report.Summary(launches_core=3, bytes_core=2048),
    )
    said = lines(report_with(), other)
    assert "launches 1 3: 2 kernels, 1 library call" in said
    assert "memory traffic 1.00 KiB 2.00 KiB" in said


def test_what_another_compiler_made_of_it_is_counted() -> None:
    def with_kernels(kernels: int) -> report.Report:
        figures = report.CompilerSummary(
            "xla", kernels=report.Figure(kernels), bytes=report.Figure(2048)
        )
        return report_with(compilers=[figures])

    said = lines(with_kernels(7), with_kernels(3))
    assert "xla: kernels 7 3" in said and not any("xla: bytes" in line for line in said)
    assert not any("xla:" in line for line in lines(report_with(), with_kernels(3)))


def test_times_whose_middle_halves_do_not_meet_have_a_ratio() -> None:
    faster = {"core": report.Timing(5.0, 4.0, 6.0, 5)}
    said = lines(report_with(), report_with(timings=faster))
    assert "core 10.0 5.0 0.50x" in said and "xla 20.0 not measured" in said


def test_what_one_has_not_measured_is_said_and_is_no_difference() -> None:
    bare = report_with(numerics={}, timings={})
    (program,) = compared(report_with(), bare).programs
    (error,) = [f for f in program.figures if f.what == "rel error of core"]
    for line in (error, *program.times):
        assert (line.b, line.differs, line.change) == ("not measured", False, "only in A")
    (back,) = compared(bare, report_with()).programs
    assert {(line.a, line.change) for line in back.times} == {("not measured", "only in B")}
    said = lines(report_with(), bare)
    assert "rel error of core 1e-06 not measured" in said and "core 10.0 not measured" in said


def test_an_error_counts_where_it_is_more_than_twice_or_wrong() -> None:
    def with_error(size: float, ok: bool = True) -> report.Report:
        return report_with(numerics={"core": report.Numerics(1e-7, size, ok=ok)})

    assert not any("rel error" in line for line in lines(report_with(), with_error(1.9e-6)))
    (program,) = compared(report_with(), with_error(1.9e-6)).programs
    (error,) = [f for f in program.figures if f.what == "rel error of core"]
    assert not error.differs and error.change == "same within 2x"
    assert "rel error of core 1e-06 3e-06" in lines(report_with(), with_error(3e-6))
    assert "rel error of core 1e-06 1e-06 NOT OK" in lines(
        report_with(), with_error(1e-6, ok=False)
    )


def test_stages_differ_in_words_and_in_texts() -> None:
    changed = [stage("fuse", "a\nc\nd\n", "2 kernels"), stage("new", "")]
    said = lines(report_with(), report_with(stages=changed))
    assert "fuse 1 kernel -> 2 kernels, ir +2 -1 lines" in said
    assert "new only in b.json" in said


def test_a_program_that_one_has_not_is_said() -> None:
    two = report_with()
    two.programs.append(msgspec.structs.replace(two.programs[0], name="g"))
    assert "g: only in b.json" in lines(report_with(), two)


def test_the_only_program_of_each_is_compared_whatever_it_is_called() -> None:
    exported = report_with()
    exported.programs[0].name = "main"
    said = lines(report_with(), exported)
    assert "f → main" in said
    assert "core 10.0 10.0 same within noise" in said


def test_texts_that_are_apart_are_compared_by_their_hash() -> None:
    def apart(sha256: str) -> report.Report:
        text = report.Artifact("ir", "ir", "fuselab", "", stored=report.StoredText(sha256, 4, 2))
        return report_with(
            stages=[report.Stage("fuse", "ok", 1.0, [text], "pass", summary="1 kernel")]
        )

    assert "fuse ir" in lines(apart("a"), apart("b"))
    assert "the same launches, bytes, errors and texts" in lines(apart("a"), apart("a"))


def test_times_of_two_runs_come_with_a_caution() -> None:
    assert "only those of one run were taken in turn" in lines(report_with(), report_with())[-1]
    assert not any(
        "taken in turn" in line for line in lines(report_with(), report_with(timings={}))
    )


def test_what_one_stage_says_at_length_makes_no_other_row_wide() -> None:
    said = "140 runs of 92 passes, of which 89 changed nothing"
    stages = [stage("passes", "", said), stage("fused", "a\n")]
    other = [stage("passes", "", f"{said}, and more"), stage("fused", "b\n")]
    text = comparison(report_with(stages=stages), report_with(stages=other))
    long, short = (line for line in text.splitlines() if line.startswith(("  passes", "  fused")))
    assert long == f"  passes   {said} -> {said}, and more"
    assert short.startswith("  fused    ir ")


def test_an_error_makes_no_row_of_figures_wide() -> None:
    failed = report.Failure("capture", "a sentence that is as long as some of these are, or longer")
    text = comparison(report_with(error=failed, kernels=[]), report_with()).splitlines()
    assert any(line.rstrip().endswith("  0  1") for line in text if "launches" in line), text
