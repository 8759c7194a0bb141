"""POST /api/v1/runs/{id}/share."""

from datetime import timedelta

import pytest
from django.utils import timezone

from webapp.runs.expiry import expire
from webapp.runs.models import Run


@pytest.fixture
def run(bob, asked_by):
    return asked_by(bob)


@pytest.mark.django_db
def test_a_shared_run_is_kept_for_good(run, bob):
    answer = bob.post(f"/api/v1/runs/{run.pk}/share")
    assert answer.json() == {"id": run.pk, "url": f"/r/{run.pk}", "shared": True}
    got = bob.get(f"/api/v1/runs/{run.pk}").json()
    assert (got["shared"], got["expires"]) == (True, None)


@pytest.mark.django_db
def test_sharing_twice_is_sharing_once(run, bob):
    bob.post(f"/api/v1/runs/{run.pk}/share")
    assert bob.post(f"/api/v1/runs/{run.pk}/share").status_code == 200


@pytest.mark.django_db
def test_an_expired_run_can_be_saved_until_it_is_deleted(run, bob):
    Run.objects.update(expires=timezone.now() - timedelta(days=1))
    bob.post(f"/api/v1/runs/{run.pk}/share")
    assert expire() == 0
    assert Run.objects.filter(pk=run.pk).exists()


@pytest.mark.django_db
def test_an_unknown_id(bob):
    assert bob.post("/api/v1/runs/nope/share").status_code == 404


@pytest.mark.django_db
def test_who_has_only_the_link_keeps_nobodys_run(run, alice):
    assert alice.post(f"/api/v1/runs/{run.pk}/share").status_code == 403
    run.refresh_from_db()
    assert not run.shared
