"""Snippets through TensorFlow itself, where it is installed. Starting it takes five seconds."""

import textwrap

import pytest

from compiler_core import report
from compiler_core.pipeline.order import explore

pytestmark = [pytest.mark.extra("tensorflow"), pytest.mark.timeout(110)]

HEAD = "import tensorflow as tf\n"


def explored(source: str) -> report.Report:
    result = report.Report()
    options = report.Options(measure=False, compilers=("core", "xla"))
    explore(HEAD + textwrap.dedent(source), options, lambda e: report.apply(result, e))
    return result


def test_a_compiled_function_comes_in_with_its_lines_its_stages_and_its_result():
    found = explored("""
        scale = tf.Variable(2.0)


        @tf.function(jit_compile=True)
        def f(x, b, times=2):
            h = tf.nn.gelu(x + b) * scale
            if tf.shape(x)[0] > 4:
                h = h * times
            return {"h": tf.nn.softmax(h), "sum": tf.reduce_sum(h, 0)}


        print(f(tf.random.normal((8, 4)), tf.zeros((4,)))["sum"].shape)
    """)
    (program,) = found.programs
    assert (program.name, program.entry.line) == ("f", 6)
    assert program.status == "ok" and program.numerics["core"].ok and program.numerics["xla"].ok
    assert found.output.stdout == "(4,)\n"
    stages = {s.name: s for s in program.stages if s.compiler == "tensorflow"}
    assert {"stablehlo", "hlo", "result"} <= stages.keys()
    assert stages["result"].summary == "TensorFlow's result is this program's"
    text = stages["stablehlo"].artifacts[0]
    assert "loc(" not in text.text and any(text.nodes)
    assert {n.line for n in program.nodes} >= {8, 11}


def test_what_the_snippet_raises_is_said_with_its_line():
    found = explored("\nx = tf.ones((2, 3))\ntf.matmul(x, x)\n")
    assert found.error is not None and found.error.line == 4
    assert "Matrix size-incompatible" in found.error.message


def test_a_snippet_without_a_compiled_call_is_told_what_to_do():
    found = explored("\n@tf.function\ndef f(x):\n    return x + 1\n\n\nf(tf.ones(3))\n")
    assert found.error is not None
    assert found.error.message == "the snippet calls no function compiled by XLA"
    assert "jit_compile=True" in found.error.remedy
