"""What goes wrong in a snippet is one sentence with the snippet's own line."""

import signal

import pytest

from compiler_core.errors import SnippetError
from tests.compiler_core.snippets import explore


def failure(source: str) -> SnippetError:
    with pytest.raises(SnippetError) as error:
        explore(source)
    return error.value


def test_syntax_error():
    error = failure("import math\ndef f(x)\n    return x\n")
    assert error.message == "the snippet is not valid Python: expected ':'"
    assert error.line == 2
    assert "def f(x)" in error.traceback


def test_syntax_error_of_the_compiler():
    assert failure("def f():\n    x = 1\n    global x\n").line == 3


def test_empty_snippet():
    assert failure("  \n").message == "the snippet is empty"


def test_null_byte():
    assert failure("x = 1\0").message == "the snippet holds a null byte"


def test_the_mark_before_a_files_text_is_read_over():
    found = explore("\ufeff# inputs: f32[4]\nimport torch\ndef f(x):\n    return x + 1\n")
    assert [program.line for program in found.programs] == [3]


def test_no_alarm_that_a_snippet_has_set_goes_off_after_it():
    seconds, _ = signal.getitimer(signal.ITIMER_REAL)
    failure("import signal\nsignal.setitimer(signal.ITIMER_REAL, 3600)\n")
    assert signal.getitimer(signal.ITIMER_REAL)[0] <= seconds


def test_a_built_in_name_that_a_snippet_has_replaced_or_deleted_means_what_it_did_after_it():
    before = isinstance, len
    error = failure("import builtins\nbuiltins.isinstance = None\ndel builtins.len\n1 / 0\n")
    assert (error.message, error.line) == ("ZeroDivisionError: division by zero", 4)
    assert (isinstance, len) == before


def test_deep_nesting():
    assert failure("x = " + "(" * 300 + ")" * 300).line == 1


def test_unknown_import():
    error = failure("import math\nimport mxnet.gluon\nmxnet.zeros(3)\n")
    assert error.message == (
        "mxnet is not installed here: beside PyTorch and JAX a snippet may import NumPy, SciPy, "
        "einops and optax"
    )
    assert error.remedy.endswith(
        "what it needs of mxnet, or install mxnet in Fuselab's environment"
    )
    assert error.line == 3


def test_exception_has_the_snippets_own_line():
    error = failure("def f():\n    return [][1]\n\nf()\n")
    assert error.message == "IndexError: list index out of range"
    assert error.line == 2


def test_traceback_has_no_frames_but_the_snippets():
    error = failure("import json\n\njson.loads('{')\n")
    assert error.line == 3
    assert "json/decoder" not in error.traceback
    assert "json.loads('{')" in error.traceback


def test_a_snippet_has_no_arguments_of_a_command_line():
    found = explore(
        "import argparse\nimport torch\n"
        "args = argparse.ArgumentParser().parse_args()\ntorch.compile(torch.sin)(torch.ones(3))\n"
    )
    assert found.error is None and len(found.programs) == 1


def test_exit():
    assert failure("import sys\nsys.exit(3)\n").message == (
        "the snippet ended itself with exit code 3"
    )


def test_endless_recursion():
    error = failure("def f():\n    return f()\n\nf()\n")
    assert error.message == "the snippet calls itself without end"


def test_an_exception_without_text():
    assert failure("raise ValueError\n").message == "ValueError"


def test_the_main_module_is_itself_again_afterwards():
    import sys

    before = sys.modules["__main__"]
    failure("raise ValueError\n")
    assert sys.modules["__main__"] is before


def test_a_traceback_names_no_other_file_and_no_note():
    error = failure(
        "def f():\n    e = ValueError('wrong\\nat /usr/lib/python3/x.py:7\\nhere')\n"
        "    e.add_note('frames are hidden')\n    raise e\nf()\n"
    )
    assert error.traceback.endswith("ValueError: wrong\nhere")


def test_a_mesh_of_torchs_needs_more_processes_than_a_run_is(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    error = failure(
        "from torch.distributed.device_mesh import init_device_mesh\n"
        'init_device_mesh("cpu", (4,))\n'
    )
    assert error.line == 2 and "a run is one process" in error.remedy


def test_what_other_runs_hold_is_told_from_what_the_snippet_did_wrong():
    error = failure("import errno, os\nraise OSError(errno.ETOOMANYREFS, os.strerror(109))\n")
    assert error.line == 2 and error.remedy.startswith("run it again: other runs hold")


@pytest.mark.parametrize(
    "raised, remedy",
    [
        ("OSError(24, 'Too many open files')", "close files"),
        ("OSError(27, 'File too large')", "write less into one file"),
        ("OSError(28, 'No space left on device')", "write less, fewer files, or delete"),
        ('RuntimeError("can\'t start new thread")', "have fewer threads"),
        ("BlockingIOError(11, 'Resource temporarily unavailable')", "wait until it is ready"),
        ("PermissionError(1, 'Operation not permitted')", "leave it out"),
        ("PermissionError(13, 'Permission denied')", "leave it out"),
        ("OSError(30, 'Read-only file system')", "leave it out"),
        ("OSError(38, 'Function not implemented')", "leave it out"),
        ("OSError(95, 'Operation not supported')", "leave it out"),
        ("OSError(22, 'Invalid argument')", "write it otherwise"),
        ("OSError(18, 'Invalid cross-device link')", "copy it instead"),
        ("OSError(99, 'Cannot assign requested address')", "write in the snippet"),
    ],
)
def test_what_meets_a_limit_of_the_run_is_not_said_to_be_so_wherever_it_runs(raised, remedy):
    error = failure(f"raise {raised}\n")
    assert error.remedy.startswith(remedy) and "wherever it runs" not in error.remedy


def test_what_torch_suggests_for_sizes_that_cannot_vary_is_the_remedy():
    error = explore(
        "import torch\n"
        "class Halves(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        "        a, b = x.chunk(2)\n"
        "        return a + b\n"
        'rows = torch.export.Dim("rows", min=4, max=128)\n'
        'torch.export.export(Halves(), (torch.ones(8, 2),), dynamic_shapes={"x": {0: rows}})\n'
    ).error
    assert error is not None and error.line == 7
    assert error.remedy.startswith("have the sizes be as torch suggests: rows = 8; or leave it a")


def test_an_array_that_jax_traces_is_called_so():
    error = explore("""
        import jax, jax.numpy as jnp

        @jax.jit
        def made(n):
            return jnp.zeros((n, 2))

        print(made(3).sum())
    """).error
    assert error.message.endswith("of integer type, got (a traced int32[], 2)."), error.message
    assert "static" in error.remedy
