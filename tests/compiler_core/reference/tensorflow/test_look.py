"""What is shown of TensorFlow, on what it made of a function (snippet/tensorflow/samples) and
results as it would have given them; TensorFlow itself need not be there."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from compiler_core import capture, report
from compiler_core.reference.subject import Subject
from compiler_core.reference.tensorflow.look import look
from compiler_core.snippet.front import Front
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.stablehlo.call import callable_of
from compiler_core.snippet.stablehlo.read import read
from compiler_core.snippet.tensorflow.places import placed
from tests.compiler_core.reference.looking import looked
from tests.compiler_core.snippet.tensorflow.test_places import VERSIONS, sample

pytestmark = pytest.mark.cpu


@dataclass(frozen=True)
class Given:
    """A sample's program with its arguments, and what it gives for them."""

    text: str
    lines: dict[str, int]
    fn: Any
    args: tuple[Any, ...]
    outputs: tuple[np.ndarray, ...]


@pytest.fixture(scope="module")
def given() -> Given:
    text, lines = sample(VERSIONS[-1])
    module = placed(read(text), text, lines, 6)
    fn = callable_of(module, module.public()[0])
    args = jnp.ones((8, 4)), jnp.zeros(4), jnp.float32(2)
    return Given(text, lines, fn, args, tuple(map(np.asarray, fn(*args))))


@pytest.fixture(scope="module")
def captured(given):
    return capture.capture(FoundProgram("f", "jax", 6, given.fn, given.args))


@pytest.fixture(scope="module")
def texts(given) -> dict[str, str]:
    lowered = jax.jit(given.fn).lower(*given.args)
    before, after = lowered.as_text("hlo"), lowered.compile().as_text()
    return {"stablehlo": given.text, "hlo": before, "optimized_hlo": after}


@pytest.fixture
def stages(given, captured, texts):
    def of(outputs: tuple[np.ndarray, ...]) -> dict[str, report.Stage]:
        front = Front("tensorflow", "2.21.0", texts, outputs, given.lines)
        program = FoundProgram("f", "jax", 6, given.fn, given.args, front=front)
        return {stage.name: stage for stage in look(Subject(program, captured, report.Options()))}

    return of


def test_its_stages_come_with_the_snippets_lines(given, captured, stages):
    found = stages(given.outputs)
    assert list(found) == ["stablehlo", "hlo", "result"]
    assert "TensorFlow 2.21.0" in found["stablehlo"].summary
    (module,) = found["stablehlo"].artifacts
    line_of = {node.id: node.line for node in captured.nodes}
    (relu,) = (i for i, x in enumerate(module.text.splitlines()) if "stablehlo.maximum" in x)
    assert "loc(" not in module.text and {line_of[n] for n in module.nodes[relu]} == {8}
    assert [a.kind for a in found["hlo"].artifacts] and len(found["hlo"].artifacts) == 2


def test_its_result_is_held_against_the_program_in_float64(given, stages):
    result = stages(given.outputs)["result"]
    assert result.status == "ok" and result.summary == "TensorFlow's result is this program's"
    assert [row.cells[0] for row in result.tables[0].rows] == ["TensorFlow", "here"]


def test_a_result_that_is_off_is_said(given, stages):
    h, total = given.outputs
    result = stages((h, total + 1))["result"]
    assert result.status == "failed" and "output 1 is off by 1" in result.summary


def test_results_of_another_shape_are_not_compared(given, stages):
    result = stages(given.outputs[:1])["result"]
    assert result.status == "skipped" and result.summary.startswith("not compared")


def test_other_snippets_did_not_come_by_it():
    source = (
        "import torch\n\n\n@torch.compile\ndef f(x):\n    return x.sin()\n\n\nf(torch.ones(3))\n"
    )
    (program,) = looked(source, "tensorflow").programs
    (stage,) = [s for s in program.stages if s.compiler == "tensorflow"]
    assert stage.status == "skipped" and "the snippet is not TensorFlow's" in stage.summary
