"""What samples come to, on samples chosen by hand."""

import pytest

from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType
from compiler_core.measure.floor import Floor, floor
from compiler_core.measure.machine import Used
from compiler_core.measure.runnable import Costs
from compiler_core.measure.sampling import Samples
from compiler_core.measure.timings import Sampled, fastest, measurement, timings
from compiler_core.report import protocol

ANY = Floor()
US = {"eager": 40.0, "core": 10.0, "xla": 10.05, "inductor": 20.0}


def sampled(us: dict[str, float], floor: Floor = ANY, others: float | None = 0.0) -> Sampled:
    """Ten blocks of four rounds that differ by a hundredth."""
    noise = [1 + 0.01 * (i * 7 % 5 - 2) for i in range(40)]
    ns = {name: [1e3 * each * n for n in noise] for name, each in us.items()}
    samples = Samples(
        ns, [i // 4 for i in range(40)], dict.fromkeys(us, 1), {}, (), 0, 3, Used(2.0, 2, others)
    )
    return Sampled(samples, dict.fromkeys(us, Costs(1.0, 2.0, 4.0)), floor)


def test_the_fastest_is_named_with_those_that_samples_do_not_tell_apart_from_it():
    assert fastest(sampled(US)) == ["core", "xla"]


def test_a_wrong_result_is_nobodys_best():
    assert fastest(sampled(US), apart=["core"]) == ["xla"]


def test_a_time_below_the_floor_is_refused():
    found = sampled(US, Floor(15.0, "1 MiB to be moved"))
    core = timings(found)["core"]
    assert core.verdict == "below the physical floor"
    assert (core.speedup, core.speedup_low, core.pays_after_calls) == (None, None, None)
    assert fastest(found) == ["inductor"]


def test_where_eager_is_below_the_floor_nothing_is_over_it():
    found = timings(sampled(US, Floor(50.0)))
    assert {t.speedup for t in found.values()} == {None}


def test_a_ratio_is_told_with_what_differs_from_process_to_process():
    core = timings(sampled(US))["core"]
    assert core.speedup == pytest.approx(4.0)
    assert core.speedup_low < 3.95 and core.speedup_high > 4.05 and core.verdict == "faster"


def test_a_busy_machine_is_said():
    quiet, busy = (measurement(sampled(US, others=n), [], "eager JAX") for n in (0.05, 0.9))
    assert (quiet.busy, busy.busy) == (False, True)
    assert "others took 0.9 of 2 processors" in protocol(busy)
    assert "in 10 blocks over 2.0 s" in protocol(quiet) and "eager JAX" in protocol(quiet)


def test_matrix_products_have_a_floor_of_their_own():
    b = Builder()
    x, w = (b.parameter(TensorType(F32, (512, 512))) for _ in range(2))
    product = b.graph("f", [b.dot_general(x, w, contract=((1,), (0,)))])
    sum_ = b.graph("g", [b.node("add", x, w)])
    of_product, of_sum = floor([product], "cpu"), floor([sum_], "cpu")
    assert of_product.us > of_sum.us > 0
    assert "GFLOP" in of_product.by and "MiB" in of_sum.by
    assert floor([product, sum_], "cpu") == of_product
