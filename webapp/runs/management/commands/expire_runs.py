"""`python manage.py expire_runs`: deletes every run past its 30 days that nobody shared."""

from typing import Any

from django.core.management.base import BaseCommand

from webapp.runs.expiry import expire


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"Deleted {expire()} expired runs.")
