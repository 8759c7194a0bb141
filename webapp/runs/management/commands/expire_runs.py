"""`python manage.py expire_runs`: deletes every run past its 30 days that nobody shared, and ends
those that no worker will end."""

from typing import Any

from django.core.management.base import BaseCommand

from webapp.runs.expiry import expire, give_up_lost


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        # Each call takes a bounded number, until one finds none.
        lost, expired = (sum(iter(sweep, 0)) for sweep in (give_up_lost, expire))
        self.stdout.write(f"Gave up {lost} lost runs, deleted {expired} expired ones.")
