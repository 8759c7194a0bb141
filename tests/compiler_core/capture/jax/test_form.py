"""What a captured JAX program looks like, where it comes from, and how it fails."""

import subprocess
import sys

import numpy as np
import pytest

from compiler_core.capture import capture
from compiler_core.errors import CaptureError
from tests.compiler_core.capture.oracle import captured
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu


def test_the_text_shows_the_calls_that_were_walked_into():
    import jax

    result = captured("jax", lambda x: jax.nn.silu(x) + 1, np.ones(2, np.float32))
    assert result.whole.text == (
        "f(%x: f32[2])\n"
        "  jit silu:\n"
        "    %0 = logistic(%x) : f32[2]\n"
        "    %1 = mul(%x, %0) : f32[2]\n"
        "  %2 = add(%1, 1.0) : f32[2]\n"
        "  return %2\n"
    )
    assert result.whole.text_nodes == ((), (0, 1), (0,), (1,), (2,), ())


SHARED = """
# inputs: f32[2]
import jax

@jax.jit
def own(x):
    return x * 3

def f(x):
    a = jax.nn.silu(x)
    b = jax.nn.silu(a)
    return own(b)
"""


def test_a_library_function_is_where_it_is_called_each_time():
    nodes = capture(explore(SHARED).programs[0]).nodes
    assert [(n.op, n.line) for n in nodes if n.op == "logistic"] == [
        ("logistic", 10),
        ("logistic", 11),
    ]


def test_the_snippets_own_function_keeps_its_lines():
    nodes = capture(explore(SHARED).programs[0]).nodes
    assert (nodes[-1].op, nodes[-1].line, nodes[-1].column) == ("mul", 7, 12)


def test_a_decision_by_data_names_its_line():
    found = explore(
        """
        # inputs: f32[2]
        import jax.numpy as jnp

        def f(x):
            y = jnp.sin(x)
            if y.sum() > 0:
                return y
            return -y
        """
    )
    with pytest.raises(CaptureError) as error:
        capture(found.programs[0])
    assert error.value.line == 7
    assert "jnp.where" in error.value.remedy
    assert [b.line for b in error.value.graph_breaks] == [7]


def test_shapes_that_do_not_fit():
    found = explore("# inputs: f32[2], f32[3]\nimport jax\ndef f(x, y):\n    return x + y\n")
    with pytest.raises(CaptureError, match="incompatible shapes") as error:
        capture(found.programs[0])
    assert error.value.line == 4


def test_a_program_without_results():
    with pytest.raises(CaptureError, match="returns no array"):
        captured("jax", lambda x: None, np.ones(2))


def test_capture_starts_no_client():
    program = (
        "from compiler_core.report import Options\n"
        "from compiler_core.snippet.run import find_programs\n"
        "from compiler_core.capture import capture\n"
        "source = '# inputs: f32[4]\\nimport jax\\ndef f(x):\\n    return jax.nn.gelu(x)\\n'\n"
        "capture(find_programs(source, Options(), 'cpu', print).programs[0])\n"
        "from jax._src import xla_bridge\n"
        "import sys\n"
        "assert not xla_bridge._backends and 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
