"""What a room has pinned is what its runs have, whatever is asked for."""

import pytest

from tests.webapp.conftest import SOURCE
from tests.webapp.workshops.people import JSON, join, opened, room
from webapp.runs.models import Run

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("server", "living_worker")]

PINNED = {"device": "cpu", "target": "sm_80"}


def test_a_run_that_is_asked_for_at_a_seat_has_what_its_room_pinned(alice, bob, client):
    code = opened(alice, options=PINNED)
    join(bob, code)
    at = {person: f"{code}-{room(person, code)['you']}" for person in (alice, bob)}
    for person, editor, target in (
        (alice, at[alice], "sm_80"),
        (bob, at[bob], "sm_80"),
        # Elsewhere one's own choice counts, and at a seat that is somebody else's.
        (bob, "", "sm_90"),
        (bob, at[alice], "sm_90"),
        (client, at[bob], "sm_90"),
        (bob, f"{code}-{'9' * 30}"[:40], "sm_90"),
    ):
        asked = {"target": "sm_90", "measure": False}
        body = {"source": SOURCE, "options": asked, "editor": editor, "fresh": True}
        made = person.post("/api/v1/runs", body, content_type=JSON)
        assert made.status_code == 201, made.content
        run = Run.objects.get(pk=made.json()["id"])
        assert (run.options["target"], run.options["measure"]) == (target, False), editor
    bob.post(f"/api/v1/workshops/{code}/leave")
    made = bob.post("/api/v1/runs", body | {"editor": at[bob]}, content_type=JSON)
    assert Run.objects.get(pk=made.json()["id"]).options["target"] == "sm_90"
