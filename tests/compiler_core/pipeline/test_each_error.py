"""Each error of the tree, by a snippet that ends in it: one sentence, its stage and what to do, and
no traceback or name of ours."""

import re

import pytest
import torch

from compiler_core import errors, report
from compiler_core.pipeline import evaluation, explore, planning, stages
from compiler_core.runtime import gcc
from conformance import snippets

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("undisassembled")]

OURS = re.compile(r"compiler_core|site-packages|FakeTensor|FunctionalTensor|<frozen|\.venv")
TORCH = "import torch\n@torch.compile\ndef f(x):\n    return {}\nf(torch.ones(4))\n"
JAX = "import jax\nimport jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return {}\nf(jnp.ones(4))\n"


def failure(source: str, **options: object) -> report.Failure:
    """What the run, or its only program, ends in."""
    result = report.Report()
    explore(source, report.Options(**options), lambda event: report.apply(result, event))
    found = [e for e in (result.error, *(p.error for p in result.programs)) if e is not None]
    assert len({e.message for e in found}) == 1
    return found[0]


# By class: a snippet, the failure's stage, and words of its sentence and of its remedy.
USERS: dict[type[errors.FuselabError], list[tuple[str, str, str, str]]] = {
    errors.SnippetError: [
        ("def f(x)\n    return x\n", "snippet", "not valid Python", "correct the syntax"),
        ("import mxnet\nmxnet.ones(3)\n", "snippet", "mxnet is not installed", "install mxnet"),
        ("# inputs: f32[3,\nimport torch\n", "snippet", "not closed", 'end it with "]"'),
        ("def f():\n    f()\nf()\n", "snippet", "calls itself without end", "an end"),
    ],
    errors.NoProgramFound: [
        ("x = 1\n", "snippet", "defines no function", "torch.compile or jax.jit"),
        (snippets.text("torch_no_inputs_found"), "snippet", "no inputs were found", "# inputs:"),
    ],
    errors.CaptureError: [
        (JAX.format("x if x.sum() > 0 else -x"), "capture", "Tracer", "jnp.where"),
        (TORCH.format("print(x)"), "capture", "no operation on tensors", "computes with tensors"),
    ],
    errors.ProgramRaises: [
        (TORCH.format("x[torch.tensor([9])]").replace("f(torch.ones(4))", "")
         .replace("import torch\n", "# inputs: f32[4]\nimport torch\n"),
         "numerics", "run by PyTorch itself", "keep every index"),
    ],
    errors.Unsupported: [
        (TORCH.format("x.to_sparse()"), "capture", "sparse", "dense"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("source", "stage", "words", "remedy"), [case for cases in USERS.values() for case in cases]
)
def test_a_mistake_has_its_stage_and_a_remedy(source, stage, words, remedy):
    found = failure(source, device="cpu", measure=False)
    assert found.stage == stage and words in found.message and remedy in found.remedy
    assert found.remedy != errors.REPORT_IT
    assert not OURS.search(f"{found.message} {found.remedy} {found.traceback}")


FINE = TORCH.format("torch.tanh(x) + 1")
# Faults that no snippet makes: a function that a stage calls raises. By class: its module
# and name, and the stage.
FAULTS: dict[type[errors.FuselabError], tuple[object, str, str]] = {
    errors.VerifyError: (stages, "verify", "capture"),
    errors.LoweringError: (planning, "fuse_by", "fuse"),
    errors.MeasureError: (evaluation.run, "measure", "measure"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_of_ours_ends_its_stage_and_asks_for_a_report(kind, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise kind("the numbers are off", remedy=errors.REPORT_IT)

    module, name, stage = FAULTS[kind]
    monkeypatch.setattr(module, name, broken)
    found = failure(FINE, device="cpu")
    assert (found.stage, found.message) == (stage, "the numbers are off")
    assert found.remedy == errors.REPORT_IT and found.traceback == ""


def test_no_gpu():
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    found = failure(FINE, device="cuda")
    assert found.stage == "device" and "no GPU" in found.message and found.remedy


def test_no_c_compiler(monkeypatch):
    monkeypatch.setattr(gcc, "find_compiler", lambda: "/nowhere/gcc")
    found = failure(FINE, device="cpu", measure=False)
    assert "the C compiler did not start" in found.message and "install gcc" in found.remedy


def test_a_program_that_reads_bits_is_held_against_eager():
    """NoReference fails no program: the report says what was compared with what."""
    result = report.Report()
    explore(
        TORCH.format("x.view(torch.int32) + 1"),
        report.Options(device="cpu", measure=False),
        lambda event: report.apply(result, event),
    )
    (program,) = result.programs
    assert program.error is None and program.numerics["core"].ok
    said = " ".join(n.rule for n in program.numerics.values())
    said += " ".join(s.summary for s in program.stages if s.name == "numerics")
    assert "eager" in said


def test_every_error_of_the_tree_is_tested_here():
    own = {c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, Exception)}
    elsewhere = {errors.FuselabError, errors.NoReference, errors.NoDevice, errors.NoToolchain}
    elsewhere.add(errors.ToolchainError)
    assert own == {*USERS, *FAULTS, *elsewhere}
