"""docs/security.md has the limits of a run, each with its value."""

import re
from pathlib import Path

import msgspec
import pytest

from worker.sandbox.limits import KIB, MIB, Limits, cpus

pytestmark = pytest.mark.null

TEXT = (Path(__file__).parents[3] / "docs" / "security.md").read_text()
ROWS = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", TEXT, re.MULTILINE))


def value(name: str, said: str) -> float:
    """What a row says, in the limit's own unit."""
    unit = {"MiB": MIB, "KiB": KIB}
    number, _, rest = said.partition(" ")
    if name in ("processes", "threads"):
        base, each = map(int, re.findall(r"\d+", said))
        return base + each * cpus()
    if name == "cpu_s":
        return Limits().deadline_s * cpus() + 1
    return float(number.replace(",", "")) * unit.get(rest, 1)


def test_every_limit_is_there_and_no_other() -> None:
    assert [*ROWS] == [field.name for field in msgspec.structs.fields(Limits)]


@pytest.mark.parametrize("name", ROWS)
def test_it_has_its_value(name: str) -> None:
    assert value(name, ROWS[name]) == getattr(Limits(), name)
