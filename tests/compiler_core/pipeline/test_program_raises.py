"""What a program does wrong by itself is said to be its own, with its line and what to do."""

import pytest

from compiler_core import report
from compiler_core.errors import REPORT_IT
from compiler_core.pipeline.order import explore
from tests.compiler_core.pipeline.faults import Recorder

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]


def explored(source: str) -> report.Report:
    recorded = Recorder()
    explore(source, report.Options(device="cpu", target="sm_90"), recorded)
    return recorded.report


def failure(source: str) -> report.Failure:
    """Of the snippet's only program, which is not timed."""
    (program,) = explored(source).programs
    assert program.status == "failed" and program.error is not None
    assert not program.timings and program.error.remedy != REPORT_IT
    return program.error


OUT_OF_BOUNDS = {
    "embedding": "torch.nn.functional.embedding(torch.tensor([1, 12]), x)",
    "gather": "torch.gather(x, 0, torch.full((2, 4), 7))",
    "advanced indexing": "x[torch.tensor([5])]",
    "index_select": "x.index_select(1, torch.tensor([4]))",
    "loss": "torch.nn.functional.cross_entropy(x, torch.tensor([0, 1, 2, 9]))",
    "several graphs": "(x if x.sum() > 1e9 else x[torch.tensor([5])])",
}


@pytest.mark.parametrize("name", OUT_OF_BOUNDS)
def test_an_index_out_of_bounds_is_what_pytorch_raises_for(name: str) -> None:
    error = failure(
        f"# inputs: f32[4,4]\nimport torch\n\ndef f(x):\n    return {OUT_OF_BOUNDS[name]} + 1\n"
    )
    assert error.message.startswith("run by PyTorch itself, the program raises ")
    assert "out of" in error.message and error.line == 5
    assert "clamp(0, size - 1)" in error.remedy and "PyTorch raises" in error.remedy
    assert "<snippet>" in error.traceback


def test_what_only_the_core_raises_is_still_its_own_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    from compiler_core.pipeline import evaluation

    def broken(*_: object) -> None:
        raise RuntimeError("index 7 is out of bounds")

    monkeypatch.setattr(evaluation, "own_version", broken)
    (program,) = explored(
        "# inputs: f32[4]\nimport torch\n\ndef f(x):\n    return x + 1\n"
    ).programs
    assert program.error is not None
    assert program.error.message == "RuntimeError: index 7 is out of bounds"
    assert program.error.remedy == REPORT_IT


EXITS = {
    "torch": "# inputs: f32[4]\nimport torch, sys\n\ndef f(x):\n    sys.exit(3)\n",
    "several graphs": (
        "# inputs: f32[4]\nimport torch, sys\n\ndef f(x):\n    x.sum() > 1e9 or sys.exit(3)\n"
    ),
    "jax": "# inputs: f32[4]\nimport jax, sys\n\ndef f(x):\n    sys.exit(3)\n",
}


@pytest.mark.parametrize("name", EXITS)
def test_a_program_that_ends_the_process(name: str) -> None:
    error = failure(EXITS[name])
    assert error.message == "the snippet ended itself with exit code 3"
    assert (error.line, error.remedy) == (5, "remove the call of sys.exit()")


CALLED_BACK = "return jax.pure_callback(lambda v: 1 / 0, x, x)"
OF_JAX = {
    "return x, 'a'": "TypeError: function f traced for jit returned a value of type <class 'str'>",
    CALLED_BACK: "run by JAX itself, the program raises JaxRuntimeError: INTERNAL: CpuCallback "
    "error calling callback: ZeroDivisionError: division by zero",
}


@pytest.mark.parametrize("body", OF_JAX)
def test_jax_is_quoted_without_what_is_no_part_of_the_program(body: str) -> None:
    error = failure(f"# inputs: f32[4]\nimport jax\n\ndef f(x):\n    {body}\n")
    assert error.message.startswith(OF_JAX[body])


def test_a_program_that_raises_what_is_no_exception() -> None:
    error = failure("# inputs: f32[4]\nimport torch\n\ndef f(x):\n    raise GeneratorExit\n")
    assert error.message == "the program raises GeneratorExit" and error.line == 5


SPARSE = {
    "inside": "x.to_sparse().to_dense()",
    "by rows": "torch.sparse.mm(x.to_sparse_csr(), x)",
    "closed over": "s @ x",
}


@pytest.mark.parametrize("name", SPARSE)
def test_a_sparse_tensor_is_refused_in_one_sentence(name: str) -> None:
    error = failure(
        "# inputs: f32[4,4]\nimport torch\ns = torch.eye(4).to_sparse()\ndef f(x):\n"
        f"    return {SPARSE[name]}\n"
    )
    assert error.message.startswith("tensors of layout torch.sparse_")
    assert error.line == 5 and "to_dense()" in error.remedy


QUANTIZED = {
    "qint8": "torch.quantize_per_tensor(x, 0.1, 0, torch.qint8).dequantize()",
    "quint8": "torch.quantize_per_tensor(x, s, z, torch.quint8).dequantize()",
    "qint32": "torch.quantize_per_tensor(x, 0.1, 0, torch.qint32).dequantize()",
    "quint4x2": "torch.quantize_per_tensor(x, 0.1, 0, torch.quint4x2).dequantize()",
    "quint2x4": "torch.quantize_per_tensor(x, 0.1, 0, torch.quint2x4).dequantize()",
    "qint8 by channels": "torch.quantize_per_channel(x, c, o, 0, torch.qint8).dequantize()",
    "quint8 by its values": "torch.quantize_per_tensor_dynamic(x, torch.quint8, False).int_repr()",
    "qint8 closed over": "q.dequantize() * x",
}


@pytest.mark.parametrize("name", QUANTIZED)
def test_a_quantized_tensor_is_refused_in_one_sentence(name: str) -> None:
    error = failure(
        "# inputs: f32[4,4]\nimport torch\ns, z = torch.tensor(0.1), torch.tensor(0)\n"
        "c, o = torch.full((4,), 0.1), torch.zeros(4, dtype=torch.int64)\n"
        "q = torch.quantize_per_tensor(torch.ones(4), 0.1, 0, torch.qint8)\n"
        f"def f(x):\n    return {QUANTIZED[name]}\n"
    )
    kind = name.split(maxsplit=1)[0]
    assert f"tensors, such as those of torch.{kind}, are not compiled" in error.message
    assert (error.stage, error.line) == ("capture", 7) and "with torch.int8" in error.remedy


def test_what_a_program_keeps_from_run_to_run_is_not_said_to_fail_alone() -> None:
    error = failure(
        """
import torch

count = iter(range(9))

def f(x):
    print(x.sum().item())
    return x * 2 if next(count) < 4 else x @ torch.ones(7)

torch.compile(f)(torch.ones(4))
"""
    )
    assert error.message.startswith("run by PyTorch itself, once more, the program raises")
    assert "these are put back before each run" in error.remedy


def test_where_float64_is_refused_the_comparison_with_eager_stays() -> None:
    (program,) = explored(
        """# inputs: f32[4]
import torch

def f(x):
    print(x.sum().item())
    if x.dtype != torch.float32:
        raise TypeError("float32 alone")
    return x * 2
"""
    ).programs
    assert program.error is None and program.timings
    (stage,) = [s for s in program.stages if s.name == "numerics"]
    assert stage.status == "ok" and "does not run in float64: TypeError" in stage.summary
