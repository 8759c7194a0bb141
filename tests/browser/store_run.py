"""Stores a report from standard input as a run that is done, and writes its address.

For tests of what was made before, or by something else than this machine's worker:
`DATABASE_URL=... python tests/browser/store_run.py < report.json`.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")


def main() -> None:
    import django

    django.setup()
    import msgspec
    from django.utils import timezone

    from compiler_core import report
    from webapp.runs.models import Run, State

    raw = sys.stdin.buffer.read()
    whole = report.decode_report(raw)
    run = Run.objects.create(
        source=whole.snippet.source,
        options=msgspec.to_builtins(whole.options),
        state=State.DONE,
        report=raw,
        finished=timezone.now(),
    )
    sys.stdout.write(run.url)


if __name__ == "__main__":
    main()
