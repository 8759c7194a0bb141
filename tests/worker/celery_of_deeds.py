"""The worker as it is, but for the compiler: `celery -A tests.worker.celery_of_deeds worker`."""

import os
from dataclasses import replace
from pathlib import Path

from worker import app as the_worker

app = the_worker.app
the_worker.CONFIG = replace(
    the_worker.CONFIG,
    entry="deeds",
    extra=(Path(__file__).parent / "inside",),
    toolchains=Path(os.environ.get("DEEDS_TOOLCHAINS", "/none")),
)
# Tasks of dead workers are looked for at once.
app.conf.broker_transport_options["unacked_restore_interval"] = 1
