"""The worker as it is, but for the compiler: `celery -A tests.worker.celery_of_deeds worker`."""

import os
from dataclasses import replace
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
django.setup()

from webapp.runs import reconcile, workers  # noqa: E402  # models: Django must be set up
from worker import app as the_worker  # noqa: E402

app = the_worker.app
the_worker.CONFIG = replace(
    the_worker.CONFIG,
    entry="deeds",
    extra=(Path(__file__).parent / "inside",),
    tiny="pass",
    toolchains=Path(os.environ.get("DEEDS_TOOLCHAINS", "/none")),
)
# Runs of dead workers are looked for at once, except where that is what is measured.
if "DEEDS_BEATS" not in os.environ:
    workers.BEAT_SECONDS, reconcile.LOOK_SECONDS = 0.3, 0.5
