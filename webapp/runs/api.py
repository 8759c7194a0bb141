"""The JSON API of runs. Views are thin: each reads the request, calls one module and responds."""

import re
from http import HTTPStatus

import msgspec
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja import Router

from compiler_core import report
from webapp import address
from webapp.budget import COMPARED, DECODED_MIB
from webapp.charged import charge
from webapp.errors import Refusal, Refused
from webapp.openapi import gives, one_of, takes
from webapp.runs import (
    asks,
    card,
    compared,
    expiry,
    intake,
    naming,
    owner,
    plain,
    sending,
    texts,
    views,
    wire,
)
from webapp.runs import create as creation
from webapp.runs.models import Run, RunText, named
from webapp.runs.rate import RunRate

router = Router(tags=["runs"])
_comparisons = compared.comparisons()
_TEXTS = ("all", "none")
_HASH = re.compile("[0-9a-f]{64}")
_NO_CARD = Refusal(
    422,
    "The body is not a picture for a link.",
    f"Send a PNG of {card.WIDTH} x {card.HEIGHT} in RGB or RGBA with 8 bits a sample, of at most "
    f"{card.MOST_BYTES >> 10} KiB.",
    "body",
)


def find(run_id: str) -> Run:
    """The run with this id. Raises Refused (404)."""
    # A report may be of megabytes, and few look into it here.
    run = named(run_id).defer("report").first()
    if run is None:
        raise Refused(
            Refusal(
                404,
                f'There is no run "{run_id[:40]}".',
                "Check the link; a run that nobody shared is deleted after 30 days.",
                "id",
            )
        )
    return run


def answer(content: object, status: HTTPStatus = HTTPStatus.OK) -> HttpResponse:
    """`content` as a JSON response."""
    encoded = msgspec.json.encode(content)
    return HttpResponse(encoded, status=status, content_type="application/json")


@router.post(
    "",
    summary="Queue a run of a snippet",
    throttle=[RunRate()],
    openapi_extra={
        "requestBody": takes(wire.NewRun),
        "responses": gives(
            201, wire.Created, "Queued, or found: identical requests share a run",
            400, 403, 411, 413, 422, 429, 503,
        ),
    },
)  # fmt: skip
def create(request: HttpRequest) -> HttpResponse:
    wanted = intake.read(request.body)
    if isinstance(wanted, Refusal):
        raise Refused(wanted)
    expiry.sweep_if_due()
    token = owner.token(request) or owner.new_token()
    run, existing = creation.create(wanted, owner.digest(token), address.digest_of(request))
    response = answer(wire.Created(run.pk, run.url, existing, token), HTTPStatus.CREATED)
    owner.remember(request, response, token)
    return response


@router.get(
    "",
    summary="The runs that you asked for, the newest first",
    openapi_extra={"responses": gives(200, wire.OwnRuns, "At most 200; none without a token")},
)
def list_own(request: HttpRequest) -> HttpResponse:
    asked = asks.of_owner(owner.digest_of(request))
    return answer(wire.OwnRuns([views.own(each) for each in asked]))


@router.patch(
    "/{run_id}",
    summary="Call a run otherwise, in your own list",
    openapi_extra={
        "requestBody": takes(wire.Naming),
        "responses": gives(204, None, "Named", 400, 403, 404, 411, 413, 422),
    },
)
def rename(request: HttpRequest, run_id: str) -> HttpResponse:
    run, who = _own(request, run_id, "Rename")
    name = naming.read(request.body)
    if isinstance(name, Refusal):
        raise Refused(name)
    asks.rename(run, who, name)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


@router.get(
    "/{run_id}",
    summary="A run, with its report so far",
    openapi_extra={
        "parameters": [one_of("texts", _TEXTS, "Whether its texts come with the report")],
        "responses": gives(200, wire.RunView, "The run", 404, 422),
    },
)
def read(request: HttpRequest, run_id: str) -> HttpResponseBase:
    wanted = request.GET.get("texts", _TEXTS[0])
    if wanted not in _TEXTS:
        message = f'The parameter texts cannot be "{wanted[:40]}".'
        raise Refused(Refusal(422, message, f"Choose one of {', '.join(_TEXTS)}.", "texts"))
    run = find(run_id)
    mine = asks.asked(run, owner.digest_of(request))
    return sending.sent(request, run, mine, with_texts=wanted == "all")


@router.get(
    "/{run_id}/source",
    summary="The snippet of a run",
    openapi_extra={"responses": gives(200, None, "The snippet, as text/plain", 404)},
)
def source(request: HttpRequest, run_id: str) -> HttpResponse:
    return HttpResponse(find(run_id).source, content_type=sending.TEXT)


@router.put(
    "/{run_id}/card",
    summary="Put a picture beside the link of a run, for whoever asked for it; one that somebody "
    "else put there stays, unless you made the run",
    openapi_extra={
        "requestBody": {"required": True, "content": {"image/png": {}}},
        "responses": gives(204, None, "A picture is there", 403, 404, 422),
    },
)
def put_card(request: HttpRequest, run_id: str) -> HttpResponse:
    run, who = _own(request, run_id, "Share")
    picture = card.clean(request.body)
    if picture is None:
        raise Refused(_NO_CARD)
    card.keep(run, who, picture)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


@router.get(
    "/{run_id}/compare/{other_id}",
    summary="What differs between two runs: versions, options, figures, times, stages",
    openapi_extra={"responses": gives(200, report.Comparison, "What both say", 404, 422, 503)},
)
def compare(request: HttpRequest, run_id: str, other_id: str) -> HttpResponse:
    both = find(run_id), find(other_id)
    known = _comparisons.get((run_id, other_id))
    return HttpResponse(known or _compared(request, *both), content_type="application/json")


def _compared(request: HttpRequest, a: Run, b: Run) -> bytes:
    charge(request, COMPARED)
    _charge_decoding(request, a, b)
    # Before they are read: one that ends meanwhile has more to say.
    is_final = compared.never_change(a, b)
    found = views.comparison(a, b)
    if isinstance(found, Refusal):
        raise Refused(found)
    if is_final:
        _comparisons.put((a.pk, b.pk), found)
    return found


@router.post(
    "/{run_id}/cancel",
    summary="No longer wait for a run; it ends if nobody else waits, keeping what it reached",
    openapi_extra={"responses": gives(200, wire.StateView, "How it stands now", 403, 404)},
)
def cancel(request: HttpRequest, run_id: str) -> HttpResponse:
    run, who = _own(request, run_id, "Cancel")
    asks.cancel(run, who)
    return answer(wire.StateView(run_id, find(run_id).state))


@router.post(
    "/{run_id}/share",
    summary="Keep a run for good",
    openapi_extra={"responses": gives(200, wire.Shared, "Kept", 403, 404)},
)
def share(request: HttpRequest, run_id: str) -> HttpResponse:
    run, _ = _own(request, run_id, "Keep")
    Run.objects.filter(pk=run_id).update(shared=True, expires=None)
    return answer(wire.Shared(run_id, run.url, True))


@router.delete(
    "/{run_id}",
    summary="Delete a run, for whoever asked for it; it goes when nobody else did",
    openapi_extra={"responses": gives(204, None, "Deleted", 403, 404)},
)
def delete(request: HttpRequest, run_id: str) -> HttpResponse:
    asks.delete(*_own(request, run_id, "Delete"))
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


def _own(request: HttpRequest, run_id: str, doing: str) -> tuple[Run, str]:
    """The run and the digest of the asker who sent the request. Raises Refused (403, 404)."""
    run, who = find(run_id), owner.digest_of(request)
    if asks.asked(run, who):
        return run, who
    raise Refused(
        Refusal(
            403,
            f"Run {run.pk} was made by somebody else.",
            f"{doing} it from the browser, or with the token, that asked for it; or run the same "
            "source yourself, which makes it yours as well.",
            "id",
        )
    )


@router.get(
    "/{run_id}/artifacts",
    summary="The texts of a run and their paths",
    openapi_extra={"responses": gives(200, wire.Artifacts, "All there are so far", 404)},
)
def list_artifacts(request: HttpRequest, run_id: str) -> HttpResponseBase:
    run = find(run_id)
    if not views.is_listed(run):
        _charge_decoding(request, run)
    return sending.listed(request, "artifacts", views.artifacts(run))


@router.get(
    "/{run_id}/artifacts/{path}",
    summary="One text of a run: IR, Triton, C, PTX and so on; or a file",
    openapi_extra={
        "responses": gives(200, None, "The text, as text/plain; a file's bytes to be saved", 404)
    },
)
def artifact(request: HttpRequest, run_id: str, path: str) -> HttpResponseBase:
    run = find(run_id)
    if not views.is_listed(run):
        _charge_decoding(request, run)
    found = views.artifact(run, path)
    if found is None:
        raise Refused(
            Refusal(
                404,
                f'Run {run_id} has no artifact "{path[:80]}".',
                f"See /api/v1/runs/{run_id}/artifacts for those it has.",
                "name",
            )
        )
    is_file = found.language == "base64" and plain.is_file(found.parts())
    return (sending.file if is_file else sending.text)(request, found)


def _charge_decoding(request: HttpRequest, *runs: Run) -> None:
    bounded = (min(views.decoded_bytes(run), views.MOST_COMPARED_BYTES) for run in runs)
    charge(request, DECODED_MIB * sum(bounded) / 2**20)


@router.get(
    "/{run_id}/texts/{sha256}",
    summary="One text of a run with its line map, by the hash that its report has of it",
    openapi_extra={"responses": gives(200, report.Text, "The text", 404)},
)
def text(request: HttpRequest, run_id: str, sha256: str) -> HttpResponseBase:
    content = RunText.objects.filter(run__in=named(run_id), sha256=sha256)
    if not (_HASH.fullmatch(sha256) and content.exists()):
        message = f'Run {run_id[:40]} has no text with the hash "{sha256[:64]}".'
        raise Refused(Refusal(404, message, "Its report says `stored` of each text.", "sha256"))
    return sending.for_ever(request, texts.packed(run_id, sha256), f'"{sha256}"')
