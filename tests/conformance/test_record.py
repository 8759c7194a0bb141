"""Rows, their file and the document, on verdicts chosen by hand."""

from dataclasses import replace

from conformance import __main__, document, record
from conformance.parent import Judged
from conformance.sample import Unit
from conformance.verdict import Verdict

ADD = Unit("opinfo", "add", "forward f32")
INV = Unit("opinfo", "linalg_inv", "forward f32")


def judged(unit, *verdicts):
    return [Judged(unit, i, f"s{i}", v, 0.1) for i, v in enumerate(verdicts)]


NATIVE, WRONG = Verdict("native"), Verdict("wrong", "output 0 is off by 2")
LIBRARY = Verdict("library", "aten.inv: there is no rule for inv")
ROWS = record.rows_of([*judged(ADD, NATIVE, NATIVE, WRONG), *judged(INV, LIBRARY, LIBRARY)])


def test_a_row_counts_verdicts_and_their_reasons():
    add, inv = ROWS
    assert add.counts == {"native": 2, "wrong": 1}
    assert add.reasons == {"wrong": {"sample 2: output 0 is off by 2": 1}}
    assert inv.reasons == {"library": {LIBRARY.reason: 2}}


def test_a_file_gives_back_the_rows_that_were_written(tmp_path):
    path = tmp_path / "record.json"
    record.write(path, ROWS, {"torch": "2"})
    assert record.read(path) == ROWS
    assert record.read(tmp_path / "none.json") == []


def test_a_run_replaces_the_rows_that_it_has():
    (again,) = record.rows_of(judged(ADD, NATIVE))
    assert [row.counts for row in record.merged(ROWS, [again])] == [{"native": 1}, {"library": 2}]


def test_a_run_goes_on_with_what_was_not_run_to_its_share_since_a_day():
    rows = [replace(row, share=0.1, date="2026-02-03") for row in ROWS[:1]]

    def missing(since, share):
        return record.missing([replace(u, share=share) for u in (ADD, INV)], rows, since)

    assert missing("2026-02-03", 0.1) == [replace(INV, share=0.1)]
    assert len(missing("2026-02-03", 0.2)) == len(missing("2026-02-04", 0.1)) == 2


def test_a_run_of_no_time_leaves_the_record_as_it_was(tmp_path):
    data, doc = tmp_path / "record.json", tmp_path / "record.md"
    record.write(data, ROWS, {})
    where = ["--json", str(data), "--doc", str(doc)]
    assert __main__.main(["--part", "formulas", "--minutes", "0", *where]) == 0
    assert record.read(data) == sorted(ROWS, key=lambda r: r.key) and "| add |" in doc.read_text()


def test_the_native_share_leaves_out_what_is_not_in_scope():
    assert document.native_share(ROWS) == 2 / 3
    assert document.native_share(ROWS[1:]) == 1.0


def test_the_document_has_every_operation_with_the_reasons():
    text = document.text([replace(r, date="2026-01-02") for r in ROWS], {"torch": "2"})
    assert "| opinfo forward f32 | 2 | 100.0% | 2 | 2 | 0 | 1 | 0 | 66.7% | 90.0% |" in text
    assert "| add | 2 |  |  | 1 |  | wrong (forward f32): sample 2: output 0 is off by 2 |" in text
    assert "| linalg_inv |  | 2 |  |  |  | aten.inv: there is no rule for inv |" in text


def test_the_document_says_when_rows_were_recorded():
    def said(*dates):
        rows = [replace(row, date=date) for row, date in zip(ROWS, dates, strict=True)]
        return next(x for x in document.totals(rows) if x.startswith("| opinfo")).split(" | ")[-1]

    assert said("2026-01-02", "2026-01-02") == "2026-01-02 |"
    assert said("2026-02-03", "2026-01-02") == "2026-01-02 to 2026-02-03 |"
    assert said("2026-02-03", "") == "2026-02-03 and before |" and said("", "") == "before |"
