"""The migrations are those that the models need."""

import pytest
from django.core.management import call_command


@pytest.mark.django_db
def test_no_migration_is_missing():
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)
