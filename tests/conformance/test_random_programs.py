"""Random programs: the same at every run, with everything in them, printed as they are."""

import random

import pytest
import torch

from conformance import knobs, random_programs, torch_steps
from conformance.built import build
from conformance.programs import Kind, Program, Step, drawn
from conformance.sample import Sample

pytestmark = pytest.mark.cpu
NAMES = [f"here {number}" for number in range(150)]


def test_a_program_runs_its_steps_over_a_pool_and_says_so():
    table = {"add": Kind(lambda *_: (), torch.add, 2), "mul": Kind(lambda *_: (3,), torch.mul)}
    program = Program((Step("add", (0, 0)), Step("mul", (1,), (3,))), (2, 0), table)
    first, second = program(torch.tensor(2.0))
    assert (first.item(), second.item()) == (12.0, 2.0)
    assert program.text(1) == "v1 = add(v0, v0); v2 = mul(v1, 3); return v2, v0"


def test_a_jump_is_made_by_exact_values_only():
    args, floor = [torch.ones(3)], Kind(lambda *_: (), torch.floor, jumps=True)
    table = {"tanh": Kind(lambda *_: (), torch.tanh), "floor": floor}
    for seed in range(20):
        program = drawn(random.Random(seed), args, table, 6)
        inexact = {1 + at for at, step in enumerate(program.steps) if step.kind == "tanh"}
        assert not inexact & {i for s in program.steps if s.kind == "floor" for i in s.operands}


def test_every_kind_of_step_is_in_some_program():
    programs = [random_programs.sample(name, "torch").fn for name in NAMES]
    kinds = {step.kind for program in programs for step in program.steps}
    assert kinds == set(torch_steps.TABLE)


def test_a_name_stands_for_one_program():
    one, again = (random_programs.sample("block 3 4", "torch") for _ in range(2))
    assert one.name == again.name and torch.equal(one.args[0], again.args[0])


X = torch.linspace(-2, 2, 12).reshape(3, 4)


def programs_by_chance() -> list[tuple[int, str]]:
    """Kernels and schedules of one program under several seeds."""

    def f(x):
        return torch.softmax(x + 1 + 1, -1).sum(0)

    def text(seed):
        built = build(Sample("f", "torch", f, (X,), knobs=seed))
        (part,) = built.compilation.parts
        return len(part.running.plan.launches), part.running.emitted.texts[0].source.text

    return [text(seed) for seed in (None, *range(6))]


def test_knobs_change_the_kernels_and_leave_the_compiler_as_it_was():
    own, *others = programs_by_chance()
    assert len({count for count, _ in others}) > 1 and len({text for _, text in others}) > 3
    assert programs_by_chance()[0] == own
    with knobs.turned(None):
        assert programs_by_chance()[0] == own
