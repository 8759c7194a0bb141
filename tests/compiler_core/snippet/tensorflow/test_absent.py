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
