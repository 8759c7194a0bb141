"""`python manage.py expire_runs`: deletes every run past its 30 days that nobody shared."""

from typing import Any

from django.core.management.base import BaseCommand

from webapp.runs.expiry import expire


class Command(BaseCommand):
    """The command, as Django looks for it."""

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        # Each call takes a bounded number, until one finds none.
        self.stdout.write(f"Deleted {sum(iter(expire, 0))} expired runs.")
