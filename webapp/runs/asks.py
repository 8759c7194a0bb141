"""Who asked for a run. Identical requests share one; each asker cancels, keeps and deletes what is
theirs, and no one else's."""

from django.db import transaction

from webapp.runs import lifecycle
from webapp.runs.models import Run, RunAsk, expiry


def ask(run: Run, owner: str) -> None:
    """The person with this digest asks for the run, once more or for the first time; it expires
    later."""
    RunAsk.objects.update_or_create(run=run, owner=owner, defaults={"waits": True})
    Run.objects.filter(pk=run.pk, shared=False).update(expires=expiry())


def asked(run: Run, owner: str) -> bool:
    """Whether the person with this digest asked for the run."""
    return bool(owner) and RunAsk.objects.filter(run=run, owner=owner).exists()


def cancel(run: Run, owner: str) -> None:
    """They no longer wait for it; it ends if nobody does."""
    with transaction.atomic():
        RunAsk.objects.filter(run=run, owner=owner).update(waits=False)
        if not RunAsk.objects.filter(run=run, waits=True).exists():
            lifecycle.cancel(run.pk)


def delete(run: Run, owner: str) -> None:
    """They no longer have it; it is deleted if nobody does, else whoever asked next has it."""
    with transaction.atomic():
        RunAsk.objects.filter(run=run, owner=owner).delete()
        following = RunAsk.objects.filter(run=run).order_by("pk").first()
        if following is None:
            Run.objects.filter(pk=run.pk).delete()
        elif run.owner == owner:
            Run.objects.filter(pk=run.pk).update(owner=following.owner)
