"""Where there is a second-level cache, no call finds its inputs in it."""

import jax
import pytest
import torch

from compiler_core import capture
from compiler_core.measure import device_rates
from compiler_core.measure.input_sets import beyond, input_sets
from compiler_core.snippet.program import FoundProgram

MIB = 2**20
WEIGHT = torch.ones(64)


def drawn(elements, count=4, more=()):
    return [(torch.full((elements,), float(i)), *more) for i in range(count)]


def test_as_many_sets_as_exceed_twice_the_cache():
    sets, said = beyond(drawn(MIB // 4), 10 * MIB)
    assert len(sets) == 20 and len({x.data_ptr() for (x,) in sets}) == 20
    assert said == (
        "20 sets of fresh inputs in turn, 20 MiB, "
        "twice the second-level cache of 10 MiB or more"
    )  # fmt: skip


def test_no_two_in_a_row_have_the_same_values():
    sets, _ = beyond(drawn(MIB // 4), 5 * MIB + 1)
    values = [x[0].item() for (x,) in sets]
    assert all(values[i] != values[i - 1] for i in range(len(values)))


def test_inputs_that_the_cache_holds_in_any_case_are_said():
    sets, said = beyond(drawn(16), 10 * MIB)
    assert len(sets) == 4 and said.endswith("which the second-level cache of 10 MiB holds")


def test_large_inputs_are_not_copied():
    given = drawn(3 * MIB, 2)
    assert [x is y for x, y in zip(beyond(given, 10 * MIB)[0], given, strict=True)] == [True, True]


def test_weights_are_the_same_in_every_set_and_counted_once():
    weight = torch.ones(3 * MIB)
    sets, said = beyond(drawn(MIB // 4, more=(weight,)), 10 * MIB)
    assert len(sets) == 8 and all(each[1] is weight for each in sets) and "20 MiB" in said


def test_one_tensor_given_twice_is_one_in_every_copy():
    given = [(x, x) for (x,) in drawn(MIB // 4)]
    sets, _ = beyond(given, 10 * MIB)
    assert all(x is y for x, y in sets)


def test_a_copy_has_the_strides_of_what_was_drawn():
    sets, _ = beyond([(x.reshape(512, 512).t(),) for (x,) in drawn(MIB // 4)], 10 * MIB)
    assert {x.stride() for (x,) in sets} == {(1, 512)}


def test_arrays_of_jax_are_copied_too():
    sets, _ = beyond([(jax.numpy.full(MIB // 4, float(i)),) for i in range(4)], 2 * MIB + 1)
    assert len({x.unsafe_buffer_pointer() for (x,) in sets}) == len(sets) == 8


@pytest.mark.parametrize(("cache", "count"), [(0, 4), (64 * 1024, 12)])
def test_a_programs_sets_are_drawn_and_copied(monkeypatch, cache, count):
    found = FoundProgram("f", "torch", 1, lambda x: x * WEIGHT, (torch.rand(48, 64),))
    monkeypatch.setattr(device_rates, "cache_bytes", lambda device: cache)
    sets, said = input_sets(capture.capture(found), "cuda" if cache else "cpu")
    assert len(sets) == count and said.startswith(f"{count} sets of fresh inputs")
    assert len({x.data_ptr() for x, *_ in sets}) == count
