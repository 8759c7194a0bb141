"""Stores reports as runs, for tests of what was made before, or by something else than this
machine's worker.

A process for all of them: each comes on standard input as a line "WAY SIZE" and so many bytes, and
its run's address goes as a line to standard output. WAY is "done" for the report, as JSON, of a run
that an early version has done, "apart" as today's worker does it, "events" for lines of events of a
run that goes on.
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")


def main() -> None:
    import django

    django.setup()
    ways = {"done": store_done, "apart": store_apart, "events": store_running}
    for header in sys.stdin.buffer:
        way, size = header.decode().split()
        sys.stdout.write(f"{ways[way](sys.stdin.buffer.read(int(size)))}\n")
        sys.stdout.flush()


def store_apart(raw: bytes) -> str:
    import msgspec

    from compiler_core import report
    from webapp.runs import events, lifecycle
    from webapp.runs.models import Run, State

    whole = report.decode_report(raw)
    options = msgspec.to_builtins(whole.options)
    run = Run.objects.create(source=whole.snippet.source, options=options)
    lifecycle.start(run.pk)
    started = report.Started(whole.snippet, whole.toolchain, whole.device, whole.options)
    events.append(run.pk, [started])
    for number, p in enumerate(whole.programs):
        found = report.ProgramFound(number, p.name, p.framework, p.entry, p.inputs, p.backend)
        stages = [report.StageDone(number, report.counted(stage)) for stage in p.stages]
        facts = report.Facts(number, nodes=p.nodes, graphs=p.graphs, kernels=p.kernels)
        events.append(run.pk, [found, *stages, facts])
    lifecycle.finish(run.pk, State.DONE)
    return run.url


def store_done(raw: bytes) -> str:
    import msgspec
    from django.utils import timezone

    from compiler_core import report
    from webapp.runs.models import Run, State

    whole = report.decode_report(raw)
    run = Run.objects.create(
        source=whole.snippet.source,
        options=msgspec.to_builtins(whole.options),
        state=State.DONE,
        report=raw,
        finished=timezone.now(),
    )
    return run.url


def store_running(raw: bytes) -> str:
    from webapp.runs.models import Run, RunEvent, State

    lines = raw.splitlines()
    source = json.loads(lines[0])["snippet"]["source"]
    run = Run.objects.create(source=source, options={}, state=State.RUNNING, last_seq=len(lines))
    RunEvent.objects.bulk_create(
        RunEvent(run=run, seq=at, payload=line) for at, line in enumerate(lines, 1)
    )
    return run.url


if __name__ == "__main__":
    main()
