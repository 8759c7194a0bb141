"""The migrations are those that the models need, and bring the first version's runs along."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

ROOT = Path(__file__).parents[3]
REPORT = ROOT / "tests/compiler_core/report/stored/schema-1.json"
# A run as the first version stored one that had ended.
BEFORE = f"""
from pathlib import Path
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
state = MigrationExecutor(connection).loader.project_state([("runs", "0001_initial")])
report = Path({str(REPORT)!r}).read_bytes()
said = dict(id="a" * 24, source="x = 1", options={{}}, state="done", report=report)
state.apps.get_model("runs", "Run").objects.create(**said)
"""
AFTER = """
from tests.webapp.browser import Browser
page = Browser().get("/r/" + "a" * 24)
told = Browser().get("/api/v1/runs/" + "a" * 24).json()
print(page.status_code, told["state"], len(told["report"]["programs"]))
"""


@pytest.mark.django_db
def test_no_migration_is_missing():
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


@pytest.mark.service
def test_a_run_of_the_first_version_opens(tmp_path):
    """In a database of its own, for not every migration can be taken back."""
    told = {
        "DATABASE_URL": f"sqlite:///{tmp_path / 'runs.sqlite3'}",
        "FUSELAB_ALLOWED_HOSTS": "testserver",
    }

    def manage(*words: str) -> str:
        command = (sys.executable, "manage.py", *words)
        environment = os.environ | told
        return subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        ).stdout

    manage("migrate", "runs", "0001_initial", "--verbosity=0")
    manage("shell", "-v0", "-c", BEFORE)
    manage("migrate", "--noinput", "--verbosity=0")
    assert manage("shell", "-v0", "-c", AFTER).split() == ["200", "done", "1"]
