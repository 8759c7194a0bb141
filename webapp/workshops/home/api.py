"""The API of taking a workshop home."""

from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from ninja import Router

from webapp.openapi import gives
from webapp.threads import on_own_threads
from webapp.workshops.asking import inside
from webapp.workshops.courses.api import ZIP
from webapp.workshops.home import results, seat_runs
from webapp.workshops.home.contents import Home, entries
from webapp.workshops.home.stream import zipped
from webapp.workshops.models import came

rooms = Router(tags=["workshops"])


@rooms.get(
    "/{code}/home.zip",
    summary="What you ran in a workshop, the results and the deck; for whoever leads it all seats'",
    openapi_extra={"responses": gives(200, None, "The zip", 403, 404, 503)},
)
def take_home(request: HttpRequest, code: str) -> StreamingHttpResponse:
    workshop, seat = inside(request, code)
    seats = list(came(workshop)) if seat.leads else [seat]
    site = request.build_absolute_uri("/").rstrip("/")
    # What runs said is decoded before the answer begins, whose pieces all share two threads.
    runs = (run for each in seats for run, _ in seat_runs.runs(each))
    home = Home(workshop, seats, seat, site, results.figures_of(runs))
    response = StreamingHttpResponse(on_own_threads(zipped(entries(home))), content_type=ZIP)
    name = f"workshop-{workshop.code}.zip"
    response["Content-Disposition"] = content_disposition_header(True, name)
    return response
