"""What programs of every kind become in Triton, and that it computes what the framework does."""

import pytest

from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.plan.steps import listing
from tests.compiler_core.codegen.behaviours import BEHAVIOURS, agree
from tests.compiler_core.codegen.triton import interpreter

HEAD = "import triton\nimport triton.language as tl\n\n\n"


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_text(name, golden):
    """The steps as the host runs them, then their kernels."""
    behaviour = BEHAVIOURS[name]
    plan = behaviour.plan(behaviour.printed, "gpu")
    texts = [source.source.text.removeprefix(HEAD) for source in emit_plan(plan).values()]
    regions = any(step.plans for step in plan.steps)
    golden("\n\n".join([listing(plan.launches)[0]] * regions + texts))


@pytest.mark.cpu
@pytest.mark.parametrize("name", BEHAVIOURS)
def test_it_computes_what_eager_does(name, interpreter_process):
    behaviour = BEHAVIOURS[name]
    inputs = behaviour.inputs(behaviour.computed)
    plan = behaviour.plan(behaviour.computed, "gpu")
    results = interpreter_process.submit(interpreter.execute, plan, inputs).result(timeout=60)
    agree(results, behaviour.eager(inputs))
