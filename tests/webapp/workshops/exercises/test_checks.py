"""Every kind of check, against reports of real runs."""

import re

import pytest
from msgspec import structs

from compiler_core import report
from tests.webapp.workshops.exercises.asked import stored, toml
from webapp.workshops.exercises import checking, definition, trying
from webapp.workshops.exercises.definition import Definition
from webapp.workshops.exercises.judging import KINDS
from webapp.workshops.exercises.kinds import EXAMPLES


def checked(whole: report.Report, *checks: str, **fields: str) -> list[checking.Result]:
    fields = {"call": whole.programs[0].called} | fields if whole.programs else fields
    wanted = definition.read(toml(*checks, **fields))
    assert isinstance(wanted, Definition), wanted
    return checking.check(wanted, whole)


PASSED = [
    ("softmax", "kernels at_most=1", "1 kernel."),
    ("two_kernels", "kernels at_most=2", "2 kernels."),
    ("softmax", "graph_breaks at_most=0", "0 graph breaks."),
    ("softmax", "library_calls at_most=0", "0 library calls."),
    ("softmax", "bytes at_most=1_048_576", "1,048,576 bytes are read and written."),
    ("softmax", "error at_most=1e-6", "The largest relative error is 5e-07."),
    ("softmax", 'fused a="exp" b="sum"', '"exp" and "sum" are in kernel "k0_reduce_subtract_'),
    ("softmax", 'fused a="aten.exp" b="reduce_add"', '"aten.exp" and "reduce_add" are in kernel'),
    (
        "measured",
        "speedup at_least=2",
        "The core is 2.43x as fast as eager, 95 % interval 1.84 to 3.3",
    ),
    ("softmax", 'operation name="exp"', '"softmax" has the operation "exp".'),
    ("measured", 'kernels at_most=1 compiler="inductor"', "1 kernel of TorchInductor."),
    ("measured", 'library_calls at_most=1 compiler="xla"', "1 library call of XLA."),
]

FAILED = [
    (
        "two_kernels",
        "kernels at_most=1",
        '2 kernels: "exponential" was not fused with "divide", of "softmax" in line 6, because '
        '"reduce" runs over (256,), "reduce" over (512,).',
    ),
    (
        "graph_break",
        "kernels at_most=1",
        "2 kernels: the graph ends in line 10, because Python decides by the value of a tensor "
        "which way to go; the graph ends in line 11, because print() runs in Python.",
    ),
    (
        "graph_break",
        "graph_breaks at_most=0",
        "2 graph breaks: the graph ends in line 10, because Python decides by",
    ),
    ("two_kernels", "bytes at_most=1_000_000", "2,625,536 bytes are read and written: "),
    ("two_kernels", "error at_most=1e-9", "The largest relative error is 6.8e-05."),
    (
        "two_kernels",
        'fused a="exponential" b="divide"',
        '"exponential" and "divide" are in no kernel together: "exponential" was not fused with "d',
    ),
    (
        "two_kernels",
        'fused a="relu" b="sum"',
        '"relu" and "sum" are in no kernel together: "exponential" was not fused with "divide"',
    ),
    ("softmax", 'fused a="exp" b="mm"', 'There is no operation "mm" in "softmax".'),
    ("softmax", 'operation name="cond"', 'There is no operation "cond" in "softmax".'),
    (
        "graph_break",
        'operation name="tanh"',
        'There is no operation "tanh" in what ran of "gated", which is not all of it: the graph '
        "ends in line 10, because Python decides by the value of a tensor which way to go;",
    ),
    ("softmax", "speedup at_least=1.1", "The core was not measured: tick Measure"),
    ("measured", "speedup at_least=9", "The core is 2.43x as fast as eager, 95 % interval"),
    ("measured", 'kernels at_most=0 compiler="tvm"', "The kernels of TVM are not known: TVM was"),
    ("measured", 'library_calls at_most=0 compiler="xla"', "1 library call of XLA."),
]


@pytest.mark.parametrize(("name", "check", "says"), PASSED)
def test_a_check_is_passed_by_what_the_report_says(name, check, says):
    [result] = checked(stored(name), check)
    assert result.passed and result.says.startswith(says), result


@pytest.mark.parametrize(("name", "check", "says"), FAILED)
def test_a_check_that_fails_says_what_it_saw(name, check, says):
    [result] = checked(stored(name), check)
    assert not result.passed and result.says.startswith(says), result
    assert result.says.endswith(".")


@pytest.mark.parametrize(
    ("named", "says"),
    [({"9": [2]}, '"softmax" in line 6'), ({"9": [0, 1]}, '"reduce"'), ({}, '"reduce"')],
)
def test_what_was_not_fused_has_the_names_and_lines_of_the_snippet(named, says):
    whole = stored("two_kernels")
    [program] = whole.programs
    refusal = program.fusion_refusals[0]
    program.fusion_refusals[:] = [
        structs.replace(
            refusal,
            from_="%2 dot_general (k0)",
            to="%4 maximum",
            reason="%2 (dot_general) is needed again by %9 (reduce)",
            nodes=[0, 1],
            from_value=2,
            to_value=4,
            named=named,
        )
    ]
    [result] = checked(whole, "kernels at_most=1")
    assert result.says == (
        '2 kernels: "mm" in line 6 was not fused with "relu" in line 6, because "mm" is needed '
        f"again by {says}."
    )


def test_equal_operations_of_one_line_are_named_once():
    whole = stored("two_kernels")
    [program] = whole.programs
    again = [structs.replace(node, id=node.id + 100) for node in program.nodes]
    program.nodes += again
    refusal = structs.replace(program.fusion_refusals[0], nodes=[0, 1, 100, 101])
    program.fusion_refusals[:] = [refusal]
    [result] = checked(whole, "kernels at_most=1")
    assert result.says.count('"mm" in line 6 and "relu" in line 6') == 1, result.says
    assert result.says.count('"mm" in line 6') == 1


def test_a_library_call_is_named_with_its_reason():
    whole = stored("two_kernels")
    [program] = whole.programs
    kernel = structs.replace(program.kernels[0], library="mkl", reason="it is large")
    figures = structs.replace(program.compilers[-1], library_calls=report.Figure(1))
    program.kernels[0], program.compilers[-1] = kernel, figures
    [result] = checked(whole, "library_calls at_most=0")
    name = kernel.id
    assert result.says == f'1 library call: "{name}" is a call of mkl, because it is large.'


def test_an_error_that_is_not_finite_is_too_large():
    whole = stored("softmax")
    numerics = whole.programs[0].numerics
    numerics["core"] = structs.replace(numerics["core"], max_rel_error=None)
    [result] = checked(whole, "error at_most=1")
    assert not result.passed and "not finite" in result.says


def test_a_wrong_result_has_no_speedup():
    whole = stored("measured")
    timings = whole.programs[0].timings
    timings["core"] = structs.replace(timings["core"], verdict="wrong result")
    [result] = checked(whole, "speedup at_least=1")
    assert result.says == "The core has no speed-up: wrong result."


def test_every_program_has_to_pass_and_the_one_that_does_not_is_told_of():
    whole = stored("softmax")
    whole.programs += stored("two_kernels").programs
    whole.programs[-1].called = whole.programs[0].called
    [result] = checked(whole, "kernels at_most=1")
    assert result.says.startswith("2 kernels: ")
    whole.programs[-1].called = "f(f32[8])"
    [result] = checked(whole, "kernels at_most=1")
    assert result.passed


@pytest.mark.parametrize("call", ["softmax(f32[1024,512])", "layer_norm(f32[256,512])"])
def test_a_program_of_other_sizes_or_another_name_is_not_the_one_and_both_are_told(call):
    [result] = checked(stored("softmax"), "kernels at_most=1", call=call)
    says = f"The run called softmax(f32[256,512]), and the exercise is about {call}."
    assert (result.passed, result.says) == (False, says)


def test_how_numbers_are_drawn_and_written_makes_no_other_call():
    for call in ("softmax( f32[256,512]~normal(1000,1) )", "softmax(f32[256, 512])"):
        [result] = checked(stored("softmax"), "kernels at_most=1", call=call)
        assert result.passed, result


def test_a_snippet_and_a_program_that_failed_say_why():
    failure = report.Failure("capture", "a tensor has no shape.")
    [result] = checked(report.Report(error=failure), "kernels at_most=1")
    assert result.says == "The snippet failed: a tensor has no shape."
    whole = stored("softmax")
    whole.programs[0].error = failure
    [result] = checked(whole, "kernels at_most=1")
    assert result.says == '"softmax" failed at capture: a tensor has no shape.'


def test_a_run_is_asked_for_what_its_checks_read_and_for_nothing_else():
    def needs(*checks: str):
        return trying.needs(definition.read(toml(*checks)))

    counted = {"measure": False, "insides": [], "compilers": ["core"]}
    assert needs("kernels at_most=1", "error at_most=1e-5") == counted
    assert needs("speedup at_least=2") == counted | {"measure": True}
    # What an exercise calls itself, it looks into itself.
    assert needs('recompiles at_most=0 function="f" over=["f32[8]"]') == counted
    assert needs('kernels at_most=1 compiler="xla"')["compilers"] == ["core", "xla"]


def test_what_is_wanted_is_said_in_words():
    wanted = definition.read(
        toml(
            "kernels at_most=1",
            "graph_breaks at_most=0",
            "speedup at_least=1.5",
            "bytes at_most=9999",
        )
    )
    assert checking.wants(wanted) == [
        "at most 1 kernel", "no graph break", "at least 1.5x eager", "at most 9,999 bytes",
    ]  # fmt: skip


def test_every_kind_has_a_judge_and_an_example():
    tags = {kind.__struct_config__.tag for kind in KINDS}
    assert tags == EXAMPLES.keys()
    for text in EXAMPLES.values():
        lines = re.sub(r", (?=\w+ = )", "\n", text)
        assert isinstance(
            definition.read(f'title="T"\ntext="t"\ncall="f(f32[8])"\n[[check]]\n{lines}'),
            Definition,
        )
