"""Settings from the environment, each mistake told with the variable's name."""

import stat

import pytest
from django.core.exceptions import ImproperlyConfigured

from webapp import environment
from webapp.databases import database
from webapp.secret import stored_key


@pytest.mark.parametrize(
    ("value", "meant"), [("1", True), ("Yes", True), ("0", False), ("", False)]
)
def test_a_flag(monkeypatch, value, meant):
    monkeypatch.setenv("FUSELAB_DEBUG", value)
    assert environment.flag("FUSELAB_DEBUG") is meant


def test_a_blank_variable_is_none(monkeypatch):
    """As docker-compose.yml hands on what nobody has set."""
    monkeypatch.setenv("FUSELAB_PROBE", "")
    assert environment.flag("FUSELAB_PROBE", True)
    assert environment.number("FUSELAB_PROBE", 3) == 3
    assert environment.text("FUSELAB_PROBE", "usual") == "usual"
    assert environment.choice("FUSELAB_PROBE", ("first", "second")) == "first"


def test_a_flag_that_is_neither(monkeypatch):
    monkeypatch.setenv("FUSELAB_DEBUG", "maybe")
    with pytest.raises(ImproperlyConfigured, match='FUSELAB_DEBUG is "maybe"; set it to 1 or 0'):
        environment.flag("FUSELAB_DEBUG")


def test_a_choice_that_there_is_not(monkeypatch):
    monkeypatch.setenv("FUSELAB_SANDBOX", "off")
    with pytest.raises(ImproperlyConfigured, match="set it to required or off-loopback-only"):
        environment.choice("FUSELAB_SANDBOX", ("required", "off-loopback-only"))


def test_a_number_that_is_none(monkeypatch):
    monkeypatch.setenv("FUSELAB_PROXIES", "one")
    with pytest.raises(ImproperlyConfigured, match="set it to a whole number"):
        environment.number("FUSELAB_PROXIES", 0)


def test_words(monkeypatch):
    monkeypatch.setenv("FUSELAB_ALLOWED_HOSTS", " a.test, ,b.test ")
    assert environment.words("FUSELAB_ALLOWED_HOSTS", "") == ["a.test", "b.test"]


def test_a_secret_key_is_made_once_and_kept_for_its_owner(tmp_path):
    path = tmp_path / "var" / "secret-key"
    key = stored_key(path)
    assert len(key) >= 50
    assert stored_key(path) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in path.parent.iterdir()] == ["secret-key"]


def test_postgres_comes_from_the_url():
    got = database("postgres://fuselab:secret@db.test:5433/runs")
    assert (got["ENGINE"], got["HOST"], got["PORT"]) == (
        "django.db.backends.postgresql",
        "db.test",
        5433,
    )


@pytest.mark.django_db
def test_sqlite_writes_ahead_and_waits_for_locks():
    from django.db import connection

    if connection.vendor != "sqlite":
        pytest.skip("the tests run on another database")
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert cursor.execute("PRAGMA busy_timeout").fetchone() == (5_000,)
