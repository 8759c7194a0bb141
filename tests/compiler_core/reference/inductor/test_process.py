"""What Inductor is told of the processor, in place of what its trial programs would say."""

import os
from pathlib import Path

import pytest
from torch._inductor import cpu_vec_isa

from compiler_core.reference.inductor import process

pytestmark = pytest.mark.cpu

VNNI = cpu_vec_isa.VecAVX512VNNI
TRIAL = VNNI._avx512_vnni_code


class OfTomorrow(VNNI):
    _arch_flags = "-mnothing-of-the-kind"


@pytest.mark.parametrize("instructions", [VNNI, OfTomorrow])
def test_the_compiler_knows_what_a_trial_program_compiles_with(instructions: type) -> None:
    with process.passing_files():
        compiles = instructions().check_build(TRIAL)
    assert process._knows(instructions(), TRIAL) == compiles


def test_no_trial_program_is_compiled() -> None:
    asked = VNNI.__bool__.__wrapped__
    with process.passing_files(), process.settings(reset=False):
        asked(VNNI())
        assert not [*Path(os.environ["TORCHINDUCTOR_CACHE_DIR"]).rglob("*.cpp")]
