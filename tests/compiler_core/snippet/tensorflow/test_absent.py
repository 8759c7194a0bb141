"""TensorFlow where it is not installed: said, with the command that installs it."""

from compiler_core.extras import environment
from tests.compiler_core.reference.looking import looked


def test_a_snippet_that_imports_it_is_told_the_command(monkeypatch):
    monkeypatch.setattr(environment, "python_of", lambda name: None)
    report = looked("import tensorflow as tf\n\nprint(tf.ones(3))\n")
    assert report.error is not None and report.programs == []
    assert (
        report.error.message == "TensorFlow is not installed here: make toolchain NAME=tensorflow"
    )


def test_other_snippets_did_not_come_by_it():
    source = (
        "import torch\n\n\n@torch.compile\ndef f(x):\n    return x.sin()\n\n\nf(torch.ones(3))\n"
    )
    (program,) = looked(source, "tensorflow").programs
    (stage,) = [s for s in program.stages if s.compiler == "tensorflow"]
    assert stage.status == "skipped" and "the snippet is not TensorFlow's" in stage.summary
