"""Who asked for a run. Identical requests share one; each asker cancels, keeps and deletes what is
theirs, and no one else's."""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import QuerySet

from webapp.runs import card, lifecycle
from webapp.runs.models import LIVE, Run, RunAsk, State, expiry

# More is no list that somebody reads.
MOST_LISTED = 200


def ask(run: Run, owner: str, editor: str = "") -> None:
    """The person with this digest asks for the run, once more or for the first time, from one of
    their editors; it expires later."""
    said = {"waits": True, "editor": editor}
    with transaction.atomic():
        _alone(run)
        RunAsk.objects.update_or_create(run=run, owner=owner, defaults=said)
        Run.objects.filter(pk=run.pk, shared=False).update(expires=expiry())


def _alone(run: Run) -> None:
    """Whoever else changes who asks for the run waits for the end of this transaction: of two who
    leave at once, one must see that nobody is left."""
    Run.objects.select_for_update(no_key=True).filter(pk=run.pk).values_list("pk").first()


def asked(run: Run, owner: str) -> bool:
    """Whether the person with this digest asked for the run."""
    return bool(owner) and RunAsk.objects.filter(run=run, owner=owner).exists()


def waiting(owner: str) -> QuerySet[RunAsk]:
    """What they asked for that has not begun."""
    return RunAsk.objects.filter(owner=owner, waits=True, run__state=State.QUEUED)


def askers(runs: Iterable[str]) -> dict[str, set[str]]:
    """Of each of these runs, by its id, the digests of those who wait for it, if it has not ended
    meanwhile."""
    found: dict[str, set[str]] = {run: set() for run in runs}
    waits = RunAsk.objects.filter(waits=True, run__state__in=LIVE)
    for run, owner in waits.values_list("run", "owner"):
        # Not those at another place, and not who came since.
        if run in found:
            found[run].add(owner)
    return found


def replace(owner: str, editor: str, by: Run) -> None:
    """What waited of this editor of theirs has been superseded by the run `by`."""
    if editor:
        for old in waiting(owner).filter(editor=editor).exclude(run=by).select_related("run"):
            cancel(old.run, owner)


def cancel(run: Run, owner: str) -> None:
    """They no longer wait for it; it ends if nobody does."""
    with transaction.atomic():
        _alone(run)
        RunAsk.objects.filter(run=run, owner=owner).update(waits=False)
        if not RunAsk.objects.filter(run=run, waits=True).exists():
            lifecycle.cancel(run.pk)


def delete(run: Run, owner: str) -> None:
    """They no longer have it; it is deleted if nobody does, else whoever asked next has it."""
    with transaction.atomic():
        _alone(run)
        RunAsk.objects.filter(run=run, owner=owner).delete()
        card.drop(run, owner)
        following = RunAsk.objects.filter(run=run).order_by("pk").first()
        if following is None:
            Run.objects.filter(pk=run.pk).delete()
        elif run.owner == owner:
            Run.objects.filter(pk=run.pk).update(owner=following.owner)


def of_owner(owner: str) -> list[RunAsk]:
    """What they asked for, with its runs, the newest first; at most MOST_LISTED."""
    asked = RunAsk.objects.filter(owner=owner) if owner else RunAsk.objects.none()
    shown = [f"run__{name}" for name in ("state", "created", "shared", "title", "verdict")]
    found = asked.select_related("run").only("name", *shown)
    return list(found.order_by("-run__created")[:MOST_LISTED])


def rename(run: Run, owner: str, name: str) -> None:
    """They call it `name`; nobody else sees that."""
    RunAsk.objects.filter(run=run, owner=owner).update(name=name)
