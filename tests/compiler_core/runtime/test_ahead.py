"""What products have in common is compiled once a process, and linked."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from compiler_core.backends.cpu import Cpu
from compiler_core.codegen.c import ahead
from compiler_core.codegen.c import emit as c
from compiler_core.errors import ToolchainError
from compiler_core.ir.build import Builder
from compiler_core.ir.types import BF16, F32
from compiler_core.plan.cpu import products as cpu_products
from compiler_core.runtime import cpu, gcc
from tests.compiler_core.codegen.c.graphs import (
    bias_gelu,
    from_torch,
    plan_of,
    tensor_type,
    to_torch,
)


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """Nothing is compiled ahead yet, and products are generated whatever a library would cost."""
    monkeypatch.setattr(gcc, "_ahead", {})
    monkeypatch.setattr(gcc, "_met", set())
    monkeypatch.setattr(cpu_products, "libraries", lambda step, target: [])


@pytest.fixture
def commands(monkeypatch):
    """What the compiler is called with."""
    found, real = [], gcc._run
    monkeypatch.setattr(gcc, "_run", lambda command, s: found.append(command) or real(command, s))
    return found


def linked(command):
    """The texts that were compiled ahead of the program that this command links them with."""
    numbers = re.findall(r"/ahead(\d+)\.o(?= |$)", " ".join(command))
    return [list(gcc._ahead)[int(number)] for number in numbers]


def product(dtype=F32, lhs=False, rhs=False):
    """[30, 70] @ [70, 50]; `lhs`, `rhs`: stored by columns."""
    b = Builder()
    x = b.parameter(tensor_type((70, 30) if lhs else (30, 70), dtype))
    y = b.parameter(tensor_type((50, 70) if rhs else (70, 50), dtype))
    return plan_of(b.graph("product", [b.dot_general(x, y, contract=((1 - lhs,), (int(rhs),)))]))


ORIENTED = [(lhs, rhs) for lhs in (False, True) for rhs in (False, True)]


@pytest.mark.parametrize(("lhs", "rhs"), ORIENTED)
def test_no_function_of_a_product_of_f32_is_left_to_compile(lhs, rhs):
    left = c.emit(product(lhs=lhs, rhs=rhs)).source.text
    assert "void panel_f32(" in left and "unroll" in left
    for definition, declared in ahead.declarations().items():
        left = left.replace(definition, declared)
    made = re.findall(r"^static .*?(\w+)\(", left, re.MULTILINE)
    assert made == ["k0_matmul"] and "unroll" not in left


@pytest.mark.cpu
@pytest.mark.parametrize(("lhs", "rhs"), ORIENTED)
def test_a_program_computes_the_same_whenever_its_functions_were_compiled(
    lhs, rhs, commands, monkeypatch
):
    plan, rng = product(lhs=lhs, rhs=rhs), np.random.default_rng(2)
    shapes = [plan.buffers[name].shape for name in plan.inputs]
    given = [to_torch(rng.standard_normal(shape).astype(np.float32)) for shape in shapes]
    with monkeypatch.context() as patch:
        patch.setattr(cpu, "_compile_ahead", lambda text: None)
        whole = from_torch(cpu.build(plan)(given)[0])
    np.testing.assert_array_equal(from_torch(cpu.build(plan)(given)[0]), whole)
    assert [sum(word.endswith(".o") for word in command) for command in commands] == [0, 1, 1]


@pytest.mark.cpu
def test_the_second_program_of_a_process_is_linked_with_what_the_first_has_compiled(commands):
    for _ in range(2):
        cpu.build(product())
    assert [command[-1].endswith("ahead.c") for command in commands] == [True, False, False]


@pytest.mark.cpu
def test_products_of_16_bits_share_what_registers_hold(commands):
    Cpu().warm_up()
    cpu.build(product(BF16))
    assert ahead.text() in linked(commands[-1])


@pytest.mark.cpu
def test_a_program_without_a_product_is_not_linked_with_one(commands):
    Cpu().warm_up()
    Cpu().warm_up()
    executable = cpu.build(plan_of(bias_gelu(8, 16)))
    assert len(commands) == 4 and linked(commands[-1]) == []
    assert executable.command.startswith("gcc -O3")


@pytest.mark.cpu
def test_what_sets_denormals_is_one_instruction_beside_what_regions_begin_by(commands):
    plan = replace(plan_of(bias_gelu(8, 16)), flushes_denormals=True)
    given = [torch.full(plan.buffers[name].shape, 1e-40) for name in plan.inputs]
    cold = cpu.build(plan)(given)[0]
    Cpu().warm_up()
    warm = cpu.build(plan)(given)[0]
    assert torch.equal(cold, warm) and not torch.any(warm)
    assert linked(commands[0]) == []
    assert linked(commands[-1]) == [gcc._SPREAD]


@pytest.mark.cpu
def test_what_turns_tiles_is_not_compiled_with_each_program_of_a_warm_process(commands):
    b = Builder()
    x, y = (b.parameter(tensor_type((96, 80), F32)) for _ in range(2))
    total = b.node("add", b.transpose(x, (1, 0)), b.reshape(y, (80, 96)))
    plan = plan_of(b.graph("turned", [total]))
    given = [torch.rand(96, 80) for _ in plan.inputs]
    cold = cpu.build(plan)(given)[0]
    Cpu().warm_up()
    assert torch.equal(cold, cpu.build(plan)(given)[0])
    assert linked(commands[-1]) == [ahead.small_text()]


@pytest.mark.cpu
def test_a_program_of_several_threads_is_linked_with_what_its_regions_begin_by(commands):
    Cpu().warm_up()
    cpu.build(plan_of(bias_gelu(512, 1024)))
    assert linked(commands[-1]) == [gcc._SPREAD]


@pytest.mark.cpu
def test_the_second_program_of_several_threads_is_linked_with_it_in_any_process(commands):
    for _ in range(3):
        cpu.build(plan_of(bias_gelu(512, 1024)))
    assert [command[-1].endswith("ahead.c") for command in commands] == [False, True, False, False]
    assert [linked(commands[at]) for at in (0, 2, 3)] == [[], [gcc._SPREAD], [gcc._SPREAD]]


def test_a_machine_without_a_compiler_warms_up_all_the_same(monkeypatch):
    def refuse():
        raise ToolchainError("there is no C compiler on this machine")

    monkeypatch.setattr(gcc, "find_compiler", refuse)
    Cpu().warm_up()
    assert gcc._ahead == {}
