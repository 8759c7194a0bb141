"""Settings for strangers: what Django's check of a deployment finds, keys that can be guessed."""

import os
import secrets
import string
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from webapp import serve
from webapp.secret import require_strong, stored_key

ROOT = Path(__file__).resolve().parents[2]
STRONG = "fJ0pYd-2mZqXw7c1sRtVb9LkHgNa4uEi6oQyTzWxCvBn3M8S5D"


def check(tmp_path: Path, **more: str) -> subprocess.CompletedProcess[str]:
    own = {"DATABASE_URL": f"sqlite:///{tmp_path / 'db'}", "FUSELAB_HTTPS": "1"}
    own["FUSELAB_ALLOWED_HOSTS"] = "fuselab.example.org"
    command = (sys.executable, "manage.py", "check", "--deploy", "--fail-level=WARNING")
    environment = {**os.environ, **own, "FUSELAB_SECRET_KEY": STRONG, **more}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_a_deployment_is_found_well(tmp_path):
    found = check(tmp_path)
    assert found.returncode == 0, found.stderr
    assert "no issues" in found.stdout


@pytest.mark.parametrize("own", [{"FUSELAB_HTTPS": "0"}, {"FUSELAB_ALLOWED_HOSTS": "localhost"}])
def test_a_weak_key_is_refused_where_strangers_come(tmp_path, own):
    found = check(tmp_path, FUSELAB_SECRET_KEY="changeme", **own)
    assert found.returncode != 0
    assert "FUSELAB_SECRET_KEY can be guessed: it has 8 characters, 7 different" in found.stderr


REPEATED = ["aB3$x" * 12, "ab" * 40, "1234567890" * 6, "changeme-" * 7, string.ascii_letters]


@pytest.mark.parametrize("key", ["", "changeme", "a" * 80, "django-insecure-" + STRONG, *REPEATED])
def test_keys_that_can_be_guessed(key):
    with pytest.raises(ImproperlyConfigured, match="can be guessed"):
        require_strong(key)


@pytest.mark.parametrize("key", REPEATED)
def test_of_one_that_repeats_this_is_said(key):
    with pytest.raises(ImproperlyConfigured, match=f"it has {len(key)} characters, .*which repeat"):
        require_strong(key)


@pytest.mark.parametrize("digits", [string.digits, string.hexdigits, string.ascii_letters])
def test_a_random_key_is_taken_whatever_its_digits(digits):
    for _ in range(200):
        require_strong("".join(secrets.choice(digits) for _ in range(50)))


def test_a_key_that_is_made_and_kept_is_strong(tmp_path):
    require_strong(stored_key(tmp_path / "secret-key"))


def test_the_web_server_itself_believes_no_forwarded_header():
    assert not serve.config("127.0.0.1", 8000).proxy_headers
