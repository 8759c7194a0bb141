"""What a person decides in the compiler's stead: applied, or refused with the reason; the numbers
stay right."""

import re

import pytest
import torch
import torch.nn.functional as F

import compiler_core
from compiler_core import report
from compiler_core.report import ForbiddenEdge, ForcedEdge, WantedSchedule, WithoutPass

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

X = torch.randn(64, 96)


def overridden(fn, *args, by=()):
    options = report.Options(measure=False, overrides=tuple(by))
    (program,) = compiler_core.explore(fn, *args, fuselab_options=options).programs
    assert program.status == "ok", program.error
    assert program.numerics["core"].ok
    return program


def kernels(program, backend="cpu"):
    return [k for k in program.kernels if k.backend == backend]


def text(program, kind):
    """The last text of a kind."""
    return [a.text for s in program.stages for a in s.artifacts if a.kind == kind][-1]


def became(program):
    return [(x.state, x.backend, x.reason) for x in program.overrides]


APPLIED = [("applied", "", "")]


def softmax_twice(x):
    return torch.softmax(x, -1) * 2


# -- passes


def twice_the_same(x):
    return torch.tanh(x) * 1.0 + torch.tanh(x)


def test_a_pass_that_is_switched_off_is_not_run_and_is_shown_as_off():
    program = overridden(twice_the_same, X, by=[WithoutPass("common-subexpressions")])
    (stage,) = [s for s in program.stages if s.name == "common-subexpressions"]
    assert (stage.status, stage.summary) == ("skipped", "switched off")
    assert became(program) == APPLIED
    usual = overridden(twice_the_same, X)
    assert program.summary.ops_final > usual.summary.ops_final


def test_a_pass_that_is_needed_says_why_it_runs():
    program = overridden(twice_the_same, X, by=[WithoutPass("order-matmuls")])
    assert became(program) == [
        ("refused", "", "order-matmuls cannot be switched off: no product reads dimensions in any "
         "order: it says in which"),
    ]  # fmt: skip


def test_a_pass_that_does_not_exist_names_those_that_do():
    program = overridden(twice_the_same, X, by=[WithoutPass("cse-2")])
    ((state, _, reason),) = became(program)
    assert state == "refused" and reason.startswith("there is no pass cse-2: choose among expand")


# -- edges


@pytest.mark.parametrize(
    ("source", "target"),
    [("0.exponential", "0.divide"), ("0", "1"), ("exponential", "multiply")],
    ids=["names", "operations", "ids"],
)
def test_operations_that_are_forbidden_to_share_a_kernel_do_not(source, target):
    usual = overridden(softmax_twice, X)
    assert len(kernels(usual)) == 1
    ids = {op: value for value, op in re.findall(r"(%\d+) = (\w+)", text(usual, "ir"))}
    source, target = ids.get(source, source), ids.get(target, target)
    program = overridden(softmax_twice, X, by=[ForbiddenEdge(source, target)])
    assert became(program) == APPLIED
    assert len(kernels(program, "cpu")) == len(kernels(program, "gpu")) == 2
    assert "forbidden" in {r.kind for r in program.fusion_refusals}


def squares_of_sums(x):
    return torch.erf(torch.exp(x.sum(1)))[None, :] * torch.ones(4096, 1)


def test_a_fusion_that_does_not_pay_can_be_forced():
    x = torch.randn(64, 8)
    usual = overridden(squares_of_sums, x)
    assert len(kernels(usual)) > 1
    (refusal,) = [r for r in usual.fusion_refusals if r.backend == "cpu"]
    edge = ForcedEdge(f"%{refusal.from_value}", f"%{refusal.to_value}")
    program = overridden(squares_of_sums, x, by=[edge])
    assert became(program)[0][0] == "applied"
    ends = {refusal.from_value, refusal.to_value}
    assert any(ends <= set(kernel.values) for kernel in kernels(program))


def test_a_reason_that_names_values_by_number_has_the_operations_that_they_come_from():
    def scaled(x):
        y = x * x.mean(-1, keepdim=True)
        return y / y.amax()

    program = overridden(scaled, X)
    refusals = [r for r in program.fusion_refusals if "loops over" in r.reason]
    assert refusals
    names = {node.id: node.op for node in program.nodes}
    for refusal in refusals:
        assert list(refusal.named) == re.findall(r"%(\d+) \(", refusal.reason)
        of = {names[node] for nodes in refusal.named.values() for node in nodes}
        assert of == {"aten.mean.dim", "aten.amax"}


def test_a_fusion_that_is_no_kernel_is_refused_with_the_reason():
    def normalized(x):
        return x / x.sum()

    program = overridden(normalized, X, by=[ForcedEdge("0.reduce", "1.divide")])
    assert became(program) == [
        ("refused", "", "no kernel can be made of both: every element needs a "
         "reduction over all elements, complete only after a first launch"),
    ]  # fmt: skip


def test_an_edge_that_is_forbidden_cannot_be_forced():
    edge = ("0.exponential", "0.divide")
    program = overridden(softmax_twice, X, by=[ForbiddenEdge(*edge), ForcedEdge(*edge)])
    assert [x.state for x in program.overrides] == ["applied", "refused"]


def test_a_value_that_does_not_exist_names_those_that_do():
    program = overridden(softmax_twice, X, by=[ForbiddenEdge("0.tanh", "0.divide")])
    ((state, _, reason),) = became(program)
    assert state == "refused"
    assert reason.startswith("there is no value 0.tanh after the passes: choose among 0.reduce")


def test_an_argument_is_in_no_kernel():
    program = overridden(softmax_twice, X, by=[ForbiddenEdge("%0", "0.divide")])
    assert became(program)[0][2].startswith("%0 is an argument or a constant")


def linear(x, w, b):
    return F.relu(x @ w + b)


def test_what_a_product_takes_in_can_be_kept_apart():
    args = torch.randn(128, 64), torch.randn(64, 128), torch.randn(128)
    for backend in ("cpu", "gpu"):
        assert len(kernels(overridden(linear, *args), backend)) == 1
    program = overridden(linear, *args, by=[ForbiddenEdge("0.dot_general", "1.add")])
    assert became(program) == APPLIED
    for backend in ("cpu", "gpu"):
        assert len(kernels(program, backend)) == 2


def test_what_a_library_computes_apart_can_be_forced_into_the_product():
    args = torch.randn(256, 512), torch.randn(512, 512), torch.randn(512)
    by = [WantedSchedule("0.dot_general", "blas", backend="cpu")]
    apart = overridden(linear, *args, by=by)
    assert became(apart) == [("applied", "", "")] and len(kernels(apart)) == 2
    by = [ForcedEdge("0.dot_general", "1.add")]
    assert len(kernels(overridden(linear, *args, by=by))) == 1


def test_what_a_product_reads_and_cannot_compute_is_refused_with_the_reason():
    def read_twice(x, a, b):
        y = torch.exp(x)
        return y @ a, y @ b

    args = torch.randn(64, 32), torch.randn(32, 16), torch.randn(32, 16)
    program = overridden(read_twice, *args, by=[ForcedEdge("0.exponential", "1.dot_general")])
    assert {state for state, _, _ in became(program)} == {"refused"}
    for _, _, reason in became(program):
        assert reason.startswith("no kernel can be made of both: "), reason


# -- schedules


def test_another_candidate_can_be_chosen_by_the_kernels_name_or_by_what_it_writes():
    (kernel,) = kernels(overridden(softmax_twice, X))
    assert kernel.result == "1.multiply"
    left = next(c for c in kernel.candidates if not c.chosen and c.cost_us is not None)
    for name in (kernel.id, kernel.result):
        program = overridden(softmax_twice, X, by=[WantedSchedule(name, left.name, {}, "cpu")])
        assert became(program) == APPLIED
        (chosen,) = [c.name for c in kernels(program)[0].candidates if c.chosen]
        assert chosen == left.name


@pytest.mark.parametrize("backend", ["cpu", "gpu"])
def test_every_candidate_of_a_product_can_be_chosen_by_what_its_kernel_writes(backend):
    # Also such as leave what the product takes in to another launch: that then writes it.
    args = torch.randn(128, 256), torch.randn(256, 512), torch.randn(512)
    (kernel,) = kernels(overridden(linear, *args), backend)
    able = [c.name for c in kernel.candidates if c.cost_us is not None]
    assert len(able) > 3
    for name in able:
        wanted = WantedSchedule(kernel.result, name, {}, backend)
        assert became(overridden(linear, *args, by=[wanted])) == [("applied", "", "")], name


ROW = torch.randn(1, 512), torch.randn(512, 256), torch.randn(256)


@pytest.mark.parametrize("backend", ["cpu", "gpu"])
def test_every_way_of_a_product_with_one_row_can_be_chosen_sums_and_libraries_alike(backend):
    (kernel,) = kernels(overridden(linear, *ROW), backend)
    others = [c for c in kernel.candidates if c.of and c.cost_us is not None]
    assert {c.of for c in others} == {"0.dot_general"}
    names = [c.name for c in others] + ["sum"]
    assert len(set(names)) > 2
    for name in names:
        program = overridden(linear, *ROW, by=[WantedSchedule("0.dot_general", name, {}, backend)])
        assert became(program) == [("applied", "", "")], name
        made = [
            s.changed for s in program.stages if (s.name, s.backend) == ("sum-products", backend)
        ]
        assert made == [name == "sum"], name


@pytest.mark.parametrize(
    ("kernel", "candidate", "said"),
    [
        ("0.dot_general", "tiled", "0.dot_general has no candidate tiled: it has sum, "),
        ("2.maximum", "torch", "torch is a way to compute 0.dot_general: ask for it by that name"),
    ],
)
def test_a_way_that_a_product_with_one_row_has_not_is_refused(kernel, candidate, said):
    by = [WantedSchedule("0.dot_general", "sum", {}, "cpu")]
    by.append(WantedSchedule(kernel, candidate, {}, "cpu"))
    program = overridden(linear, *ROW, by=by)
    refused = [x.reason for x in program.overrides if x.state == "refused"]
    assert len(refused) == 1 and refused[0].startswith(said), refused


def test_a_candidate_that_does_not_exist_names_those_that_do():
    program = overridden(softmax_twice, X, by=[WantedSchedule("1.multiply", "tiled", {}, "cpu")])
    ((state, _, reason),) = became(program)
    assert state == "refused" and "has no candidate tiled: it has rows, rows.2, split" in reason


def test_a_candidate_that_is_not_possible_says_why():
    program = overridden(softmax_twice, X, by=[WantedSchedule("1.multiply", "split", {}, "cpu")])
    assert became(program) == [
        ("refused", "", "split is not possible: 64 rows are enough for the threads")
    ]


def test_warps_and_blocks_are_set_by_hand():
    values = {"num_warps": 8, "block_p": 2}
    by = [WantedSchedule("1.multiply", "persistent", values, "gpu")]
    program = overridden(softmax_twice, X, by=by)
    assert became(program) == APPLIED
    (kernel,) = kernels(program, "gpu")
    assert values.items() <= kernel.schedule.parameters.items()
    # Not of the rows that a program would have had.
    assert kernel.schedule.reason == "as asked for: num_warps=8, block_p=2"
    (chosen,) = [each for each in kernel.candidates if each.chosen]
    assert chosen.reason == f"{kernel.schedule.reason}; what that costs the model does not know"
    assert "# As asked for: num_warps=8, block_p=2." in text(program, "triton")


def test_loops_are_not_in_vectors_where_that_is_asked_for():
    assert "reduction(" in text(overridden(softmax_twice, X), "c")
    by = [WantedSchedule("1.multiply", "rows", {"simd": "no"}, "cpu")]
    program = overridden(softmax_twice, X, by=by)
    assert became(program) == APPLIED
    assert "reduction(" not in text(program, "c")
    assert "as asked for: simd=no" in text(program, "c")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"num_warps": 3}, "num_warps of persistent cannot be 3: choose among 1, 2, 4, 8, 16"),
        ({"unroll": 4}, "unroll of persistent cannot be set: of its parameters num_warps"),
    ],
)
def test_a_value_that_a_parameter_cannot_have_names_those_that_it_can(values, said):
    by = [WantedSchedule("1.multiply", "persistent", values, "gpu")]
    ((state, _, reason),) = became(overridden(softmax_twice, X, by=by))
    assert state == "refused" and reason.startswith(said)


def test_a_kernel_that_does_not_exist_names_those_that_do():
    program = overridden(softmax_twice, X, by=[WantedSchedule("k9_add", "rows")])
    assert (
        "there is no kernel k9_add, and none that writes it: the kernels are k0_"
        in (became(program)[0][2])
    )


# -- names


def test_names_stay_when_something_else_is_overridden():
    """Which no number of a kernel and no id of a value does."""
    args = torch.randn(128, 64), torch.randn(64, 128), torch.randn(128)
    by = [WantedSchedule("0.dot_general", "onednn", {}, "cpu"), ForbiddenEdge("1.add", "2.maximum")]
    program = overridden(linear, *args, by=[*by, WithoutPass("merge-views")])
    assert [x.state for x in program.overrides] == ["applied"] * 3


def test_values_in_a_loop_have_names():
    def scanned(x):
        return torch.cumsum(torch.exp(x), 0) + torch.sin(x)

    program = overridden(scanned, X, by=[ForbiddenEdge("0.exponential", "1")])
    assert became(program)[0][0] == "applied"


def test_a_training_step_is_overridden_in_the_graph_that_has_the_value():
    w = torch.randn(96, 32, requires_grad=True)

    def step(x):
        loss = torch.tanh(x @ w).pow(2).mean()
        loss.backward()
        return loss

    usual = overridden(step, X)
    tanh = next(n.id for n in usual.nodes if "tanh" in n.op)
    program = overridden(step, X, by=[ForbiddenEdge(f"{tanh}.tanh", f"{tanh + 1}")])
    assert {x.state for x in program.overrides} == {"applied"}
