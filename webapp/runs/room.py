"""Whether there is room for another run: on the disk, among all runs, among those of one person and
of one address."""

import shutil
from pathlib import Path

from django.conf import settings
from django.core.cache import cache
from django.db.models import F, QuerySet, Sum

from webapp.errors import Refusal
from webapp.runs.models import Run, RunAsk

MIB = 2**20
# The sum over all runs is not asked for more often, in seconds.
_SUM_KEPT = 10
# The row of somebody's asking for a run, and its places in three indexes.
_ASK_BYTES = 1024
_DELETE = "Delete some of them; those not shared go after 30 days."
_LATER = "Try again later; whoever runs this service can raise {setting}, or delete runs."


def refusal(owner: str, address: str = "") -> Refusal | None:
    """Why no further run of the owner with this digest, asked for from the address with that one,
    can be stored now; None if it can. The service itself has no address."""
    if no_disk := disk("another run"):
        return no_disk
    if all_bytes() > settings.RUNS_MB * MIB:
        message = f"The runs kept here take their {settings.RUNS_MB:,} MiB."
        return Refusal(503, message, _LATER.format(setting="FUSELAB_RUNS_MB"))
    if _of_owner(owner) > settings.OWNER_MB * MIB:
        message = f"Your runs take their {settings.OWNER_MB:,} MiB."
        return Refusal(429, message, _DELETE)
    if address and _sum(Run.objects.filter(address=address)) > settings.ADDRESS_MB * MIB:
        message = f"The runs asked for from this address take their {settings.ADDRESS_MB:,} MiB."
        return Refusal(429, message, _DELETE)
    return None


def disk(what: str) -> Refusal | None:
    """Why nothing more can be kept, in which `what` is named; None where there is disk enough."""
    if free_bytes() >= settings.DISK_FLOOR_MB * MIB:
        return None
    message = f"There is too little room on this server's disk for {what}."
    return Refusal(503, message, "Try again later; whoever runs this service must free some.")


def free_bytes() -> int:
    """Free bytes on the disk of the database if it is a file, else on the disk of this process."""
    database = settings.DATABASES["default"]
    is_file = database["ENGINE"].endswith("sqlite3")
    folder = Path(database["NAME"]).parent if is_file else settings.BASE_DIR
    return shutil.disk_usage(folder if folder.is_dir() else settings.BASE_DIR).free


def all_bytes() -> int:
    """What all runs take, as it was a moment ago."""
    return cache.get_or_set("runs-bytes", _of_all, _SUM_KEPT) or 0


def _of_all() -> int:
    return _sum(Run.objects) + _ASK_BYTES * RunAsk.objects.count()


def _of_owner(owner: str) -> int:
    """Their runs, and their askings for these and for runs of others."""
    asked = RunAsk.objects.filter(owner=owner).count()
    return _sum(Run.objects.filter(owner=owner)) + _ASK_BYTES * asked


def _sum(runs: QuerySet[Run]) -> int:
    return runs.aggregate(sum=Sum(F("stored") + F("source_bytes")))["sum"] or 0
