"""Makes the finished example that the front page opens on: webapp/examples/first.json.gz.

`python scripts/first_example.py` runs the snippet of the gallery here, measured against the other
compilers; the page names this machine and the day, so nothing else should be running. With `--fold`
it brings the report there to today's types and measures nothing: for fields that were added.
"""

import gzip
import sys
import time
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "webapp" / "examples" / "first.json.gz"
SNIPPET = ROOT / "webapp" / "examples" / "snippets" / "06-rmsnorm-residual.py"

if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from compiler_core import report  # noqa: E402  the root joins the path above

# All that the main environment has, each once.
COMPILERS = tuple(c.id for c in report.CHOICES if not c.install and not report.mode_of(c.id))


def make() -> dict[str, object]:
    """The file's content: the run of the snippet, on this machine, now."""
    from compiler_core.pipeline.order import explore

    events: list[report.Event] = []
    options = msgspec.convert({"compilers": COMPILERS, "timeline": True}, report.Options)
    began = time.monotonic()
    explore(SNIPPET.read_text(encoding="utf-8"), options, events.append)
    seconds = round(time.monotonic() - began, 1)
    found = reduce(report.apply, events, report.Report())
    for program in found.programs:
        program.stages = [report.counted(stage) for stage in program.stages]
    return {"finished": datetime.now(UTC), "seconds": seconds, "report": found}


def fold() -> dict[str, object]:
    """The file's content as it is, with all fields of today."""
    kept = msgspec.json.decode(gzip.decompress(FILE.read_bytes()))
    whole = report.decode_report(msgspec.json.encode(kept["report"]))
    return {**kept, "report": whole}


def main(arguments: list[str]) -> int:
    content = fold() if arguments == ["--fold"] else make()
    FILE.write_bytes(gzip.compress(msgspec.json.encode(content), 9, mtime=0))
    found = content["report"]
    assert isinstance(found, report.Report)
    busy = [p.name for p in found.programs if p.measurement and p.measurement.busy]
    print(f"wrote {FILE.relative_to(ROOT)}: {FILE.stat().st_size:,} bytes, on {found.device.name}")
    if busy:
        print("the machine was busy meanwhile: make it again when nothing else runs")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
