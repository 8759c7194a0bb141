"""The memory plan: live ranges, and places that are used again."""

from dataclasses import dataclass

from compiler_core.ir.types import F32, TensorType
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.memory import ALIGNMENT, place


@dataclass
class Touches:
    """A step that reads some buffers and writes others."""

    inputs: tuple = ()
    outputs: tuple = ()
    scratch: tuple = ()


def buffers(**elements):
    return {name: TensorType(F32, (n,)) for name, n in elements.items()}


def steps(types, *several):
    def params(names, role):
        return tuple(BufferParam(n, types[n], role) for n in names.split())

    return [
        Touches(params(reads, "in"), params(writes, "out"), params("".join(scratch), "out"))
        for reads, writes, *scratch in several
    ]


def placed(types, several, inputs=("x",), outputs=("y",)):
    found, size = place(steps(types, *several), types, inputs, outputs, {})
    return {p.name: p for p in found}, size


def test_inputs_and_outputs_have_memory_of_their_own():
    types = buffers(x=100, y=100)
    found, size = placed(types, [("x", "y")])
    assert size == 0 and {p.offset for p in found.values()} == {None}
    assert (found["x"].first, found["x"].last) == (-1, 0)
    assert (found["y"].first, found["y"].last) == (0, 1)


def test_a_place_is_used_again_once_its_buffer_is_dead():
    types = buffers(x=100, a=100, b=100, c=100, y=100)
    found, size = placed(types, [("x", "a"), ("a", "b"), ("b", "c"), ("c", "y")])
    assert found["a"].offset == found["c"].offset != found["b"].offset
    assert size == 2 * 448  # 400 bytes, aligned


def test_what_a_step_reads_is_alive_while_it_writes():
    types = buffers(x=16, a=16, b=16, y=16)
    found, _ = placed(types, [("x", "a"), ("a", "b"), ("b", "y")])
    assert found["a"].offset != found["b"].offset


def test_the_largest_lies_lowest_and_small_ones_fill_gaps():
    types = buffers(x=1, a=16, b=256, c=16, y=1)
    found, size = placed(types, [("x", "a"), ("a", "b"), ("b a", "c"), ("c", "y")])
    assert found["b"].offset == 0
    assert size == 1024 + 2 * ALIGNMENT


def test_every_place_is_aligned_for_the_widest_vector():
    types = buffers(x=1, a=3, b=5, c=7, y=1)
    found, _ = placed(types, [("x", "a b c"), ("a b c", "y")])
    offsets = sorted(p.offset for p in found.values() if p.offset is not None)
    assert offsets == [0, ALIGNMENT, 2 * ALIGNMENT]


def test_scratch_is_there_for_its_step_alone():
    types = buffers(x=16, a=16, s=1000, b=1000, y=16)
    found, size = placed(types, [("x", "a", "s"), ("a", "b"), ("b", "y")])
    assert (found["s"].first, found["s"].last) == (0, 0)
    assert found["s"].offset == found["b"].offset == 0 and size < 2 * 4000


def test_placements_are_in_the_order_of_first_use():
    types = buffers(x=1, b=4, a=4, y=1)
    found, _ = placed(types, [("x", "b"), ("b", "a"), ("a", "y")])
    assert list(found) == ["x", "b", "a", "y"]
