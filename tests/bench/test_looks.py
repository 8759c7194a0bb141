"""What is said of the rounds of looks into compilers."""

from bench.looks import BUDGETS, Took, to_text

ROUND = {
    "inductor, plain": Took(700, 650),
    "inductor, look": Took(140, 130),
    "inductor, Triton of it": Took(650, 300),
    "xla, plain": Took(25, 20),
    "xla, snapshots": Took(40, 30),
}


def test_each_row_and_each_budget_is_told_by_the_clock_and_by_processors():
    rows = to_text([ROUND, ROUND]).splitlines()
    assert len(rows) == len(ROUND) + len(BUDGETS)
    assert rows[0].endswith("700.0 ms (quartiles 700.0 to 700.0), processors 650.0")
    inductor, xla, gpu = rows[len(ROUND) :]
    assert "1.20 x by the clock, 1.20 of processors, at most 1.5: kept" in inductor
    assert "15.00 ms by the clock, 10.00 of processors, at most 50: kept" in xla
    assert "650.00 ms by the clock, 300.00 of processors, at most 600: EXCEEDED" in gpu


def test_a_budget_is_the_median_of_what_single_rounds_give():
    slow = {name: Took(3 * each.wall, 3 * each.cpu) for name, each in ROUND.items()}
    (inductor, *_) = to_text([ROUND, slow, slow]).splitlines()[len(ROUND) :]
    assert "1.20 x by the clock" in inductor
