"""Element types are one object each."""

import pickle

import pytest

from compiler_core.ir.types import DTYPES


@pytest.mark.parametrize("name", DTYPES)
def test_a_type_that_comes_from_another_process_is_the_one_that_is_here(name):
    assert pickle.loads(pickle.dumps(DTYPES[name])) is DTYPES[name]
