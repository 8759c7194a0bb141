"""Folds in Triton's interpreter keep the order of what they fold."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

pytestmark = pytest.mark.cpu

# Of x -> m x + c, one after the other: associative, and not the same in another order.
TEXT = """\
import triton
import triton.language as tl


@triton.jit
def then(m, c, n, d):
    return n * m, n * c + d


@triton.jit
def folded(m_ptr, c_ptr, reduced_ptr, scanned_ptr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
    m, c = tl.load(m_ptr + at), tl.load(c_ptr + at)
    _, last = tl.reduce((m, c), AXIS, then)
    tl.store(reduced_ptr + tl.arange(0, 8 if AXIS == 0 else 4), last)
    _, so_far = tl.associative_scan((m, c), AXIS, then, reverse=REVERSE)
    tl.store(scanned_ptr + at, so_far)
"""


def folded(m: np.ndarray, c: np.ndarray, axis: int, reverse: bool) -> tuple[np.ndarray, ...]:
    """In the process that interprets."""
    import torch

    from compiler_core.codegen.triton.load import load
    from compiler_core.codegen.writer import Source

    results = torch.zeros(m.shape[1 - axis], dtype=torch.int64), torch.zeros_like(torch.tensor(m))
    function = load(Source("folded", "python", TEXT, ())).folded
    function[(1,)](torch.tensor(m), torch.tensor(c), *results, AXIS=axis, REVERSE=reverse)
    return tuple(x.numpy() for x in results)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("reverse", [False, True])
def test_what_is_folded_stays_in_its_order(
    axis: int, reverse: bool, interpreter_process: ProcessPoolExecutor
) -> None:
    m, c = np.random.default_rng(3).integers(-3, 4, (2, 4, 8))
    reduced, scanned = interpreter_process.submit(folded, m, c, axis, reverse).result(timeout=60)
    np.testing.assert_array_equal(reduced, one_by_one(m, c, axis).take(-1, axis))
    flipped = (np.flip(x, axis) for x in (m, c)) if reverse else (m, c)
    wanted = one_by_one(*flipped, axis)
    np.testing.assert_array_equal(scanned, np.flip(wanted, axis) if reverse else wanted)


def one_by_one(m: np.ndarray, c: np.ndarray, axis: int) -> np.ndarray:
    result = c.copy()
    rows, factors = np.moveaxis(result, axis, 0), np.moveaxis(m, axis, 0)
    for i in range(1, len(rows)):
        rows[i] += factors[i] * rows[i - 1]
    return result


def described() -> list[tuple[object, ...]]:
    """In the process that interprets: types of blocks, each made twice."""
    import triton.language as tl

    from compiler_core.codegen.triton.interpreted.quickly import quicken

    quicken()
    elements = (tl.float32, tl.int8, tl.pointer_type(tl.float32), tl.pointer_type(tl.int8))
    kinds = [tl.block_type(e, shape) for e in elements * 2 for shape in ([4, 8], [32], [1])]
    tensors = [tl.tensor(None, kind) for kind in (*kinds, *elements)]
    return [
        (str(x.type), str(x.dtype), [int(s) for s in x.shape], int(x.numel.value)) for x in tensors
    ]


def test_types_that_were_made_before_are_as_when_they_are_new(
    interpreter_process: ProcessPoolExecutor,
) -> None:
    names = ("fp32", "int8", "pointer<fp32>", "pointer<int8>")
    blocks = [
        (f"<{[str(s) for s in shape]}, {name}>", name, shape, int(np.prod(shape)))
        for name in names * 2
        for shape in ([4, 8], [32], [1])
    ]
    alone = [(name, name, [], 1) for name in names]
    assert interpreter_process.submit(described).result(timeout=60) == [*blocks, *alone]


STORES = """\
import triton
import triton.language as tl


@triton.jit
def stores(x_ptr):
    tl.store(x_ptr, {value})
"""


def stored(values: list[int]) -> list[int]:
    """In the process that interprets: of kernels of one name, all loaded before one runs."""
    import torch

    from compiler_core.codegen.triton.load import load
    from compiler_core.codegen.writer import Source

    texts = [STORES.format(value=value) for value in values]
    functions = [load(Source("stores", "python", text, ())).stores for text in texts]
    results = torch.zeros(len(values), dtype=torch.int32)
    for function, result in zip(functions, results, strict=True):
        function[(1,)](result)
    return results.tolist()


def test_texts_of_one_name_are_apart(interpreter_process: ProcessPoolExecutor) -> None:
    assert interpreter_process.submit(stored, [3, 5, 3]).result(timeout=60) == [3, 5, 3]
