"""The snippet's lines of TensorFlow's StableHLO, on what it made of

 6 @tf.function(jit_compile=True)
 7 def f(x, b):
 8     h = tf.nn.relu(x + b)
 9     if tf.shape(x)[0] > 4:
10         h = h * scale
11     return h, tf.reduce_sum(h, 0)
"""

import json
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from compiler_core.snippet.source import Source
from compiler_core.snippet.stablehlo.call import callable_of
from compiler_core.snippet.stablehlo.read import read
from compiler_core.snippet.tensorflow.imported import imports_tensorflow
from compiler_core.snippet.tensorflow.places import line_of, names_of, placed

FOLDER = Path(__file__).with_name("samples")
VERSIONS = sorted(path.name for path in FOLDER.iterdir())


def sample(version: str) -> tuple[str, dict[str, int]]:
    folder = FOLDER / version
    return (folder / "stablehlo.txt").read_text(), json.loads((folder / "lines.json").read_text())


@pytest.mark.parametrize("version", VERSIONS)
def test_each_operation_has_the_name_of_tensorflows(version):
    text, _ = sample(version)
    names = dict(zip((x.strip() for x in text.splitlines()), names_of(text), strict=True))
    (relu,) = (name for line, name in names.items() if "stablehlo.maximum" in line)
    (sums,) = (name for line, name in names.items() if "stablehlo.reduce(" in line)
    assert (relu, sums) == ("Relu", "Sum")
    assert all(not name.endswith(".py") for name in names.values())


@pytest.mark.parametrize("version", VERSIONS)
def test_operations_have_the_snippets_lines_and_run(version):
    text, lines = sample(version)
    module = placed(read(text), text, lines, 6)
    (main,) = module.public()
    of = {o.name: o.line for o in main.body.operations}
    assert (of["stablehlo.add"], of["stablehlo.maximum"], of["stablehlo.reduce"]) == (8, 8, 11)
    (branch,) = [o for o in main.body.operations if o.regions and o.name == "stablehlo.if"]
    assert {o.line for region in branch.regions for o in region.operations} <= {6, 9}
    h, total = callable_of(module, main)(jnp.ones((8, 4)), jnp.zeros(4), jnp.float32(2))
    assert np.all(np.asarray(h) == 2) and np.all(np.asarray(total) == 16)


def test_a_part_of_a_branch_has_the_branchs_line():
    assert line_of("cond/while/mul", {"cond": 4}) == 4
    assert line_of("mul", {"cond": 4}) is None and line_of("", {}) is None


@pytest.mark.parametrize(
    ("text", "is_tensorflows"),
    [
        ("import tensorflow as tf", True),
        ("from tensorflow.keras import layers", True),
        ("def f():\n    import keras", True),
        ("import torch\nimport jax", False),
        ("from . import tensorflow", False),
        ("import tensorflow_like", False),
    ],
)
def test_a_snippet_that_imports_tensorflow_is_its(text, is_tensorflows):
    assert imports_tensorflow(Source.parse(text)) is is_tensorflows
