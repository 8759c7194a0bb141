"""What a record says that was made in pieces."""

import json
import sys

import pytest

from bench import __main__ as bench
from bench.pieces import Piece, as_json, period, pieces_of, refusal

FIRST = Piece("2026-11-28T23:58:00+00:00", "2026-11-29T00:02:00+00:00", 0.1, "aaaaaaaa")
SECOND = Piece("2026-11-29T00:20:00+00:00", "2026-11-29T00:24:00+00:00", 0.2, "bbbbbbbb")


def recorded(*pieces: Piece) -> dict:
    return {"date": pieces[0].begun, "pieces": as_json(pieces)}


def test_the_period_goes_from_the_first_piece_to_the_end_of_the_last():
    assert period(recorded(FIRST, SECOND)) == "2026-11-28 to 2026-11-29, in 2 pieces"
    assert period(recorded(SECOND)) == "2026-11-29"


def test_a_record_of_before_pieces_is_one():
    assert pieces_of({"date": FIRST.begun, "load_before": 0.5}) == [
        Piece(FIRST.begun, ended="", load=0.5)
    ]
    assert pieces_of({}) == []
    assert period({"date": FIRST.begun, "load_before": 0.5}) == "2026-11-28"


def test_what_is_of_another_machine_does_not_belong_into_a_record():
    there = {"processor": "one", "toolchain": {"torch": "2.13.0"}}
    assert refusal(there, there) == refusal({}, there) == ""
    refused = refusal(there, {**there, "processor": "two"})
    assert refused == (
        "the record is of another processor (one) than this (two): write a new one with --json"
    )


@pytest.fixture
def resume(monkeypatch, tmp_path):
    """The bench resumed on a file that has been begun."""

    def resumed(before: dict) -> tuple[int, dict]:
        path = tmp_path / "record.json"
        path.write_text(json.dumps(before))
        told = (
            f"--suite families --only torch_sum_rows-small-f32 --no-measure --resume --json {path}"
        )
        monkeypatch.setattr(sys, "argv", ["bench", *told.split()])
        code = bench.main()
        return code, json.loads(path.read_text())

    return resumed


def test_a_resumed_record_keeps_its_date_and_adds_a_piece(resume):
    code, found = resume({**recorded(FIRST), "programs": []})
    first, second = pieces_of(found)
    assert code == 0 and found["date"] == FIRST.begun and first == FIRST
    assert FIRST.ended < second.begun <= second.ended and len(second.core) == 8
    assert [p["label"] for p in found["programs"]] == ["torch_sum_rows-small-f32"]


def test_a_record_of_another_machine_is_left_as_it_is(resume, capsys):
    before = {**recorded(FIRST), "programs": [], "processor": "another"}
    assert resume(before) == (2, before)
    assert "another processor (another)" in capsys.readouterr().err
