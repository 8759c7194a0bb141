"""Operations of the snippet's own (torch.library) that lack what a compiler asks for: one sentence
that names the operation, and what to do."""

import textwrap

import pytest
import torch

from compiler_core.capture import capture
from compiler_core.errors import CaptureError
from compiler_core.snippet.own_operations import lack_of
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.raised import raised_by_program
from tests.compiler_core.reference.looking import looked, stages_of

pytestmark = pytest.mark.cpu

SOURCE = """
    import torch

    @torch.library.custom_op("mine::scaled", mutates_args=())
    def scaled(x: torch.Tensor, by: float) -> torch.Tensor:
        return x * by
    {known}

    @torch.compile
    def f(x):
        return torch.sin(scaled(x, 3.0)) + 1

    f(torch.ones(4, requires_grad={gradient}))
    """
KNOWN = "scaled.register_fake(lambda x, by: torch.empty_like(x))"
FAKELESS = SOURCE.format(known="", gradient=False)
WITHOUT_FORMULA = SOURCE.format(known=KNOWN, gradient=True)
NO_FAKE = "mine::scaled has no fake implementation: what it gives is known only by running it"
NO_FORMULA = "mine::scaled has no formula for its gradient, and an input of it asks for one"


def test_what_cannot_be_captured_is_one_sentence_with_the_operations_name() -> None:
    @torch.library.custom_op("mine::doubled", mutates_args=())
    def doubled(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    with pytest.raises(CaptureError) as raised:
        capture(FoundProgram("f", "torch", 1, lambda x: doubled(x) + 1, (torch.ones(3),)))
    assert raised.value.sentence == NO_FAKE.replace("scaled", "doubled")
    assert "register_fake" in raised.value.remedy


def test_each_compiler_that_is_looked_into_names_the_operation() -> None:
    (program,) = looked(FAKELESS, "aot", "inductor", "xla", "ladder").programs
    assert program.error is not None and program.error.message == NO_FAKE
    ended = {s.compiler: s.summary for s in program.stages if s.name == "insides"}
    for compiler in ("aot", "inductor", "xla"):
        assert ended[compiler].endswith(NO_FAKE), compiler
    (stage,) = stages_of(program, "ladder")
    assert [row.cells[-1] for row in stage.tables[0].rows] == [f"fails: {NO_FAKE}"] * 4


def test_the_back_end_that_asks_for_a_gradient_says_what_to_register() -> None:
    (program,) = looked(WITHOUT_FORMULA, "ladder").programs
    found = next(f for f in program.findings if f.compiler == "ladder")
    assert (found.category, found.raw) == ("aot_eager", f"fails: {NO_FORMULA}")
    assert "register_autograd" in found.remedy


def test_the_programs_own_backward_says_what_to_register() -> None:
    from torch.library import custom_op

    @custom_op("mine::halved", mutates_args=())
    def halved(x: torch.Tensor) -> torch.Tensor:
        return x / 2

    with pytest.raises(RuntimeError) as raised:
        halved(torch.ones(3, requires_grad=True)).sum().backward()
    error = raised_by_program(raised.value, "torch")
    assert error.sentence.endswith(f"raises {NO_FORMULA.replace('scaled', 'halved')}")
    assert "register_autograd" in error.remedy


def test_an_operation_that_is_not_named_is_still_the_snippets() -> None:
    lack = lack_of("there was no fake impl or Meta kernel registered")
    assert lack is not None and lack.why.startswith("an operation of the snippet's own has no fake")
    assert lack_of("no such file") is None


@pytest.mark.extra("tvm")
@pytest.mark.timeout(110)
def test_tvm_is_not_started_for_an_operation_that_it_cannot_know() -> None:
    source = textwrap.dedent(SOURCE.format(known=KNOWN, gradient=False))
    (program,) = looked(source, "tvm").programs
    (ended,) = (s for s in program.stages if s.compiler == "tvm" and s.name == "insides")
    assert ended.status == "skipped"
    assert (
        ended.summary
        == "TVM knows operations of ATen, and the program calls mine::scaled, which is none"
    )
