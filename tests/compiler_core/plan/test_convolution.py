"""A convolution is one step, which reads its operands where they lie."""

import numpy as np
import pytest

from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.types import BF16, F16, F32, F64, TensorType
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.choose import OnCpu
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.plan.steps import KernelStep, listing
from compiler_core.schedule.processors import AMD
from compiler_core.schedule.targets import CpuTarget
from conformance.operations import cases_convolution
from tests.compiler_core.codegen.c.graphs import plan_of, run
from tests.compiler_core.codegen.sorts import united


@pytest.mark.cpu
def test_every_case_computes_what_it_means():
    """As one compilation."""
    wrong, every = [], list(cases_convolution.every())
    results = run(*united([(case.graph, case.inputs) for case in every]))
    for case, found in zip(every, results, strict=True):
        (expected,) = evaluate(case.graph, case.inputs)
        tolerance = 2e-2 if expected.dtype.itemsize == 2 else 1e-5
        a, e = found.astype(np.float64), expected.astype(np.float64)
        close = a.shape == e.shape and np.allclose(a, e, tolerance, tolerance)
        wrong += [] if close else [f"{case}: {a} is not {e}"]
    assert not wrong, "\n".join(wrong)


def test_views_are_read_in_place():
    b = Builder()
    x, w = b.parameter(TensorType(F32, (2, 8, 9, 3))), b.parameter(TensorType(F32, (4, 3, 3, 3)))
    image = b.transpose(x, (0, 3, 1, 2))
    cut = b.node("slice", image, start=(0, 0, 1, 1), limit=(2, 3, 8, 8), strides=(1, 1, 1, 2))
    plan = plan_of(b.graph("f", [b.convolution(cut, w)]))
    (step,) = plan.steps
    assert isinstance(step, ConvolutionStep)
    assert step.lhs.strides == (216, 1, 27, 6) and step.lhs.offset == 27 + 3


def test_what_lies_backwards_is_copied_first():
    b = Builder()
    x, w = b.parameter(TensorType(F32, (2, 3, 8, 9))), b.parameter(TensorType(F32, (4, 3, 3, 3)))
    turned = b.node("reverse", w, dimensions=(2, 3))
    steps = plan_of(b.graph("f", [b.convolution(x, turned)])).steps
    assert [type(s) for s in steps] == [KernelStep, ConvolutionStep]


def test_a_step_says_what_it_convolves_and_by_what():
    case = cases_convolution.case("plain", BF16)
    plan = plan_of(case.graph)
    (step,) = plan.steps
    assert listing(plan.launches)[0].splitlines() == [
        "# convolution: oneDNN, called through torch",
        "out0 = convolution in0 in1  # 2 x [3,7x9] * [4,3,3x3]",
    ]
    assert step.flops() == 2 * (2 * 4 * 5 * 7) * (3 * 3 * 3)


# -- the choice


def launch_of(left, right, dtype=F32, **attrs):
    b = Builder()
    x, w = b.parameter(TensorType(dtype, left)), b.parameter(TensorType(dtype, right))
    (launch,) = plan_of(b.graph("f", [b.convolution(x, w, **attrs)])).launches
    return launch


SAME = {"low": (1, 1), "high": (1, 1)}


def test_small_convolutions_are_generated():
    launch = launch_of((8, 3, 32, 32), (16, 3, 3, 3), **SAME)
    assert launch.schedule.strategy == "direct" and launch.step.library is None
    assert [x.strategy for x in launch.candidates] == ["direct", "convolution"]
    assert launch.schedule.reason == (
        "8 features by 48 places at a time in registers, of a copy of the image with its edges"
    )


def test_the_gradient_of_a_weight_is_the_library_s():
    swapped = dict.fromkeys(("lhs_dims", "rhs_dims", "out_dims"), (1, 0, 2, 3))
    launch = launch_of((8, 16, 28, 28), (8, 16, 28, 28), **SAME, **swapped)
    assert launch.schedule.strategy == "convolution" and launch.step.by_design
    assert "1024 places" not in launch.candidates[0].reason and launch.candidates[0].cost_us


def test_a_copy_of_the_image_has_memory_of_its_own():
    copied, in_place = (launch_of((1, 8, 9, 9), (8, 8, 3, 3), **x) for x in (SAME, {}))
    (image,) = copied.step.scratch
    assert image.type.numel >= 8 * 11 * 11 and not in_place.step.scratch


REFUSED = [
    ((1, 4, 8, 8), (4, 4, 3, 3), BF16, {}, "no generated convolution of bf16"),
    ((1, 4, 40, 40), (4, 4, 40, 40), F32, {}, "windows of more than 1024 places"),
    ((2, 3), (4, 3), F32, {}, "0 spatial dimensions, and loops are generated for 1 to 3"),
    (
        (0, 4, 8, 8), (4, 4, 3, 3), F32, {},
        "a size of the convolution is 0, so there is nothing to sum",
    ),
    (
        (1, 4, 8, 8), (4, 4, 3, 3), F32, {"lhs_dilation": (2, 2), "strides": (2, 2)},
        "the image has gaps and the windows strides, which no generated loops combine",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right", "dtype", "attrs", "reason"), REFUSED, ids=str)
def test_what_is_not_generated_says_why(left, right, dtype, attrs, reason):
    launch = launch_of(left, right, dtype, **attrs)
    assert launch.schedule.strategy == "convolution"
    assert launch.candidates[0].reason == reason and launch.candidates[0].cost_us is None


# -- sums over windows


def test_a_small_depthwise_convolution_of_bf16_is_generated():
    launch = launch_of((1, 8, 8, 8), (8, 1, 3, 3), BF16, **SAME, groups=8)
    assert launch.schedule.strategy == "columns" and launch.step.library is None
    assert [x.strategy for x in launch.candidates] == ["direct", "columns", "convolution"]
    assert launch.schedule.reason.startswith("each element is the sum over its window")


@pytest.mark.parametrize("dtype", [BF16, F16])
def test_sixteen_bit_floats_are_convolved_in_f32_where_no_instruction_multiplies_them(dtype):
    step = cases_convolution.case("plain", dtype).graph
    without = OnCpu(CpuTarget(rates=AMD.without([dtype])))
    (launch,) = build_plan(fuse(values_of(step)), without).launches
    assert launch.schedule.strategy == "direct" and launch.schedule.packed
    (image,) = launch.step.scratch
    assert image.type.dtype is F32


def test_what_onednn_has_no_code_for_is_generated():
    launch = launch_of((8, 64, 56, 56), (64, 1, 3, 3), F64, **SAME, groups=64)
    assert launch.step.library is None
    assert launch.candidates[-1].reason == "torch's own, as oneDNN convolves no f64"
