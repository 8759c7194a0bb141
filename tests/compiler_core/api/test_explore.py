"""compiler_core.explore(fn, *args): the report of one program, from Python."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn

import compiler_core
from compiler_core import report

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

COMPILE = report.Options(measure=False, target="sm_90")


def scaled(x, factor=2.0):
    return torch.relu(x) * factor


def explored(fn, *args, **kwargs) -> report.Program:
    found = compiler_core.explore(fn, *args, fuselab_options=COMPILE, **kwargs)
    (program,) = found.programs
    assert program.status == "ok", program.error
    return program


def test_a_function_is_one_program_with_the_lines_of_its_file():
    result = compiler_core.explore(scaled, torch.rand(4, 8), fuselab_options=COMPILE)
    (program,) = result.programs
    lines = result.snippet.source.splitlines()
    assert program.name == "scaled" and "def scaled" in lines[program.entry.line - 1]
    assert {lines[n.line - 1].strip() for n in program.nodes} == {"return torch.relu(x) * factor"}
    assert program.inputs == ["f32[4,8]"]


def test_keywords_go_to_the_function():
    texts = [
        a.text
        for s in explored(scaled, torch.rand(4), factor=7.0).stages
        for a in s.artifacts
        if a.name == "captured"
    ]
    assert "7.0" in texts[0]


def test_a_module_and_what_torch_compile_made_of_it():
    model = nn.Linear(4, 2)
    for fn in (model, torch.compile(model)):
        assert explored(fn, torch.rand(3, 4)).name == "Linear"


def test_a_compiled_function_is_the_function():
    assert explored(torch.compile(scaled), torch.rand(4)).name == "scaled"


def test_jax():
    def f(x):
        return jnp.tanh(x) + 1

    for fn in (f, jax.jit(f)):
        program = explored(fn, jnp.ones((4, 8)))
        assert (program.framework, program.name) == ("jax", "f")
        assert program.numerics["core"].ok


def test_what_goes_wrong_is_in_the_report():
    found = compiler_core.explore(scaled, torch.rand(4), factor="x", fuselab_options=COMPILE)
    (program,) = found.programs
    assert program.status == "failed" and program.error.line is not None


def test_it_can_be_written_as_json():
    result = compiler_core.explore(scaled, torch.rand(4), fuselab_options=COMPILE)
    assert report.decode_report(report.encode_report(result)).programs[0].name == "scaled"


@torch.no_grad()
def frozen(x):
    return torch.relu(x)


def test_a_decorated_program_has_the_name_and_the_file_of_what_is_decorated():
    for fn, name, line in (
        (frozen, "frozen", "@torch.no_grad()"),
        (torch.no_grad()(Two()), "Two", "def forward(self, x):"),
    ):
        result = compiler_core.explore(fn, torch.rand(4), fuselab_options=COMPILE)
        (program,) = result.programs
        assert program.name == name
        assert result.snippet.source.splitlines()[program.entry.line - 1].strip() == line


class Two(nn.Module):
    def forward(self, x):
        return x * 2


def sine(x):
    return jnp.sin(x)


class Sine:
    def __call__(self, x):
        return jnp.sin(x)


def closed_over():
    import jax.numpy as mine

    return lambda x: mine.sin(x) * 2


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: jnp.sin(x) * 2,
        functools.partial(lambda scale, x: jnp.sin(x) * scale, 2.0),
        Sine(),
        Sine().__call__,
        closed_over(),
        jax.jit(sine),
    ],
    ids=["lambda", "partial", "object", "method", "closure", "jit"],
)
def test_a_function_of_numpy_arrays_is_of_the_framework_that_its_code_names(fn):
    result = compiler_core.explore(fn, np.ones((4, 8), np.float32), fuselab_options=COMPILE)
    (program,) = result.programs
    assert (program.framework, program.status) == ("jax", "ok")
    assert any("taken for a program of jax, by the names" in n.text for n in result.notices)


def test_a_function_of_numpy_arrays_that_names_no_framework_is_jaxs():
    result = compiler_core.explore(lambda x: x + 1, np.ones(4), fuselab_options=COMPILE)
    (program,) = result.programs
    assert (program.framework, program.status) == ("jax", "ok")
    assert "which are no tensors to torch" in result.notices[0].text


def test_a_function_of_tensors_is_said_to_be_nothing():
    result = compiler_core.explore(scaled, torch.rand(4), fuselab_options=COMPILE)
    assert not result.notices


def squashed(x):
    return torch.tanh(x) * 2


def inputs_of(fn, *args, **kwargs):
    return explored(fn, *args, **kwargs).inputs


def test_what_was_compiled_with_dynamic_sizes_has_them():
    x = torch.rand(8, 4)
    assert inputs_of(torch.compile(squashed, dynamic=True), x) == ["f32[S0=8,S1=4]"]
    assert inputs_of(torch.compile(nn.Linear(4, 2), dynamic=True), x) == ["f32[S0=8,4]"]
    assert inputs_of(torch.compile(squashed, dynamic=False), x) == ["f32[8,4]"]


def test_marked_dimensions_of_arguments_vary():
    x = torch.rand(8, 4)
    torch._dynamo.mark_dynamic(x, 0)
    assert inputs_of(squashed, x) == inputs_of(squashed, x=x) == ["f32[S0=8,4]"]


def yielding(x):
    yield x


# What is no program, and how the sentence names it.
NO_PROGRAMS = {
    "a number": (3, "3"),
    "a text": ("torch.relu", "'torch.relu'"),
    "nothing": (None, "None"),
    "a list": ([torch.relu], "an object of type list"),
    "what a call has given": (torch.relu(torch.ones(2)), "an object of type Tensor"),
    "what a generator function has given": (yielding(1), "an object of type generator"),
    "a package": (torch, "an object of type module"),
    "a class": (Two, "the class Two"),
}


@pytest.mark.parametrize("what", NO_PROGRAMS)
def test_what_is_no_program_is_refused_in_one_sentence(what):
    given, shown = NO_PROGRAMS[what]
    with pytest.raises(TypeError) as raised:
        compiler_core.explore(given, torch.rand(4), fuselab_options=COMPILE)
    sentence = str(raised.value)
    assert sentence.startswith(f"explore() was given {shown} in place of a function: give ")
    assert "as in explore(" in sentence and "\n" not in sentence


def test_a_class_is_as_it_was_after_it_was_refused():
    with pytest.raises(TypeError, match=r"explore\(Two\(\.\.\.\), x\)"):
        compiler_core.explore(Two, fuselab_options=COMPILE)
    assert explored(Two(), torch.rand(4)).name == "Two"


def test_options_under_another_name_are_refused():
    with pytest.raises(TypeError, match=r"its options as options: give them as fuselab_options$"):
        compiler_core.explore(scaled, torch.rand(4), options=COMPILE)


def test_an_option_that_there_is_not_is_refused():
    with pytest.raises(TypeError, match=r"^there is no option targt: did you mean target\?$"):
        report.Options(targt="sm_90")
    with pytest.raises(TypeError, match=r"^there is no option x: choose from inputs, seed, device"):
        report.Options(x=1)


@pytest.mark.parametrize("options", [None, {"measure": False}])
def test_options_of_another_type_are_refused(options):
    with pytest.raises(TypeError, match=r"^fuselab_options is .*: give compiler_core\.report\.Opt"):
        compiler_core.explore(scaled, torch.rand(4), fuselab_options=options)


def test_a_module_of_torchs_is_torchs_whatever_it_is_given():
    result = compiler_core.explore(nn.ReLU(), np.ones(4, np.float32), fuselab_options=COMPILE)
    (program,) = result.programs
    assert program.framework == "torch" and "must be Tensor, not numpy" in program.error.message


WRONG_INPUTS = {
    "too few": lambda: compiler_core.explore(scaled, fuselab_options=COMPILE),
    "too many": lambda: compiler_core.explore(scaled, *torch.rand(3, 2), fuselab_options=COMPILE),
    "another name": lambda: compiler_core.explore(
        scaled, torch.rand(4), by=2, fuselab_options=COMPILE
    ),
}


@pytest.mark.parametrize("what", WRONG_INPUTS)
def test_inputs_that_do_not_fit_the_function_are_said_to_be_wrong(what):
    (program,) = WRONG_INPUTS[what]().programs
    assert "scaled()" in program.error.message
    assert program.error.remedy == "give it the arguments that it takes, in number and by name"


# Options that are written by hand, and what is said of them.
UNUSABLE = {
    "target": (
        "sm_12",
        "fuselab_options has target='sm_12': choose from auto, none, sm_80, sm_86, sm_89, sm_90, "
        "sm_100, sm_120, gfx942; did you mean sm_120?",
    ),
    "device": ("tpu", "fuselab_options has device='tpu': choose from auto, "),
    "compilers": (("none",), "fuselab_options has compilers=('none',): choose from "),
    "insides": (("none",), "fuselab_options has insides=('none',): choose from "),
    "measure": ("no", "fuselab_options has measure='no': Expected `bool`"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_an_option_that_has_no_such_value_is_refused(name):
    value, said = UNUSABLE[name]
    with pytest.raises(TypeError) as raised:
        compiler_core.explore(
            scaled, torch.rand(4), fuselab_options=report.Options(**{name: value})
        )
    assert str(raised.value).startswith(said)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_torchscript_has_compiled_is_refused():
    with pytest.raises(TypeError, match=r"give what torch\.jit\.script or torch\.jit\.trace was"):
        compiler_core.explore(torch.jit.trace(nn.ReLU(), torch.rand(4)), torch.rand(4))
