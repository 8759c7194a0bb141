"""What is kept of XLA's work."""

import jax
import pytest

from tests.kept_plugin import folder

pytestmark = pytest.mark.cpu


def test_a_program_is_kept_for_the_next_run() -> None:
    def kept_of_xla(x):
        return 117 * x

    room = folder("compiled-by-xla")
    for kept in room.glob("jit_kept_of_xla-*"):
        kept.unlink()
    assert float(jax.jit(kept_of_xla)(2.0)) == 234.0
    assert len(list(room.glob("jit_kept_of_xla-*"))) == 1
