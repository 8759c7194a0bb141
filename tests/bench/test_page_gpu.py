"""The performance page says of a GPU's record what was right, and all that was not."""

import json
from pathlib import Path

from bench.page_gpu import of_gpu

RECORD = Path(__file__).parents[2] / "bench" / "results" / "2026-11-26-h200-right.json"


def test_whatever_was_not_right_is_named_with_what_was_seen() -> None:
    recorded = json.loads(RECORD.read_text())
    text = "\n".join(of_gpu(recorded))
    bad = [each for each in recorded["programs"] if each["verdict"] != "right"]
    assert f"Of {len(recorded['programs'])} programs {len(recorded['programs']) - len(bad)}" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")][2:]
    assert len(rows) == len(bad) > 0
    for each, row in zip(bad, rows, strict=True):
        assert each["snippet"].rpartition("/")[2] in row
        assert (each.get("problem") or each["verdict"]) in row
