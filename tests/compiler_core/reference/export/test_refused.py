"""What torch.export said of programs that it refused, in each version that there is a folder of."""

import re
from pathlib import Path

import pytest

from compiler_core.reference.export.refused import refused
from tests.compiler_core.reference.separated import parts

FOLDERS = sorted(Path(__file__).with_name("samples").iterdir())
pytestmark = [
    pytest.mark.null,
    pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name),
]


def errors(file: Path) -> list[Exception]:
    """As torch raised them, non-strict first."""
    named = (part.partition("\n") for part in parts(file.read_text()))
    return [type(name, (Exception,), {})(text) for name, _, text in named]


def test_python_that_decides_by_a_value_is_refused_with_its_line_and_a_remedy(folder) -> None:
    for error in errors(folder / "data_dependent.txt"):
        found = refused(error)
        assert found.why.startswith("Python decides by a tensor's value")
        assert "torch.cond" in found.remedy and found.line == 7


def test_a_value_that_decides_is_no_matter_of_sizes(folder) -> None:
    text = "Consider annotating your code. Could not guard on data-dependent expression Eq(u0, 1)"
    assert "torch.cond" in refused(type("UserError", (Exception,), {})(text)).remedy


def test_a_size_that_cannot_vary_is_refused_by_its_name(folder) -> None:
    for error in errors(folder / "constrained.txt"):
        found = refused(error)
        assert re.fullmatch(
            r"(B|x\.size\(0\)) was to vary, and the program is for 8 alone", found.why
        )
        assert "leave it a number" in found.remedy
        assert "`n ** 0.5` does not" in found.remedy


def test_a_relation_that_torch_suggests_is_the_remedy(folder) -> None:
    text = (
        'Constraints violated (rows)! For more information, run with TORCH_LOGS="+dynamic".\n'
        "  - Not all values of rows = L['x'].size()[0] in the specified range 4 <= rows <= 128 "
        "satisfy the generated guard (L['x'].size()[0] // 2) <= L['x'].size()[0].\n"
        "Suggested fixes:\n  _rows = Dim('_rows', max=64)\n  rows = 2*_rows\n\n"
        "The error above occurred when calling torch.export.export."
    )
    found = refused(type("UserError", (Exception,), {})(text))
    assert (
        found.why
        == "not every value of rows (4 <= rows <= 128) fulfils (x.size(0) // 2) <= x.size(0)"
    )
    assert "suggests: _rows = Dim('_rows', max=64); rows = 2*_rows; or" in found.remedy


def test_strict_export_of_a_function_over_a_global_module_says_what_is_wanted(folder) -> None:
    found = refused(KeyError("G____import___main_____model_tokens_weight"))
    assert "strict export takes its parameters from the module" in found.why
    assert "strict=False" in found.remedy and "tokens_weight" in found.raw


def test_what_a_training_step_keeps_has_no_place_in_a_graph(folder) -> None:
    text = "We found a fake tensor in the exported program constant's list. This typically means"
    found = refused(RuntimeError(text))
    assert "an optimizer's state" in found.why and "export the model alone" in found.remedy


def test_an_operation_without_a_fake_implementation_is_named_with_what_to_register(folder) -> None:
    texts = (
        "There was no fake impl registered for <CustomOpDef(mine::scaled)>. This is necessary",
        "mine::scaled: attempted to run this operator with Meta tensors, but there was no fake "
        "impl or Meta kernel registered for this operator.",
    )
    for text in texts:
        found = refused(RuntimeError(text))
        assert found.why.startswith("mine::scaled has no fake implementation")
        assert "register_fake" in found.remedy


def test_a_graph_break_that_strict_export_raises_is_told_as_of_torch_compile(folder) -> None:
    samples = Path(__file__).parents[1] / "dynamo" / "samples" / folder.name
    text = (samples / "zero_grad.txt").read_text()
    found = refused(type("Unsupported", (Exception,), {})(text))
    assert found.why.startswith(
        "Optimizer.zero_grad() is one of those that Dynamo leaves to Python"
    )
    assert found.remedy.startswith("call it before or after") and found.raw == text
