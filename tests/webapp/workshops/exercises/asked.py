"""Exercises, and the reports of real runs that are held against them."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

from compiler_core import report
from webapp.examples import first

FOLDER = Path(__file__).parent / "reports"
CHECK = '[[check]]\nkind = "kernels"\nat_most = 1\n'


def toml(*checks: str, **fields: str) -> str:
    """The text of an exercise.toml; each check as "kernels at_most=1"."""
    said = {"title": "One kernel", "text": "Make it **one** kernel."} | fields
    lines = [f"{name} = {json.dumps(value)}" for name, value in said.items()]
    for kind, *values in (check.split() for check in checks):
        lines += ["[[check]]", f'kind = "{kind}"']
        lines += [value.replace("=", " = ", 1) for value in values]
    return "\n".join(lines) + "\n"


def stored(name: str) -> report.Report:
    """A report of a run; "measured" is the front page's."""
    return report.decode_report(_raw(name))


@cache
def _raw(name: str) -> bytes:
    if name != "measured":
        return (FOLDER / f"{name}.json").read_bytes()
    made: dict[str, Any] = json.loads(gzip.decompress(first.FILE.read_bytes()))
    return json.dumps(made["report"]).encode()
