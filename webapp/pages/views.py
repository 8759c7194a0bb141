"""The playground, the permalink, and the error pages."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from compiler_core import report
from webapp.errors import Refusal
from webapp.health import health, unready
from webapp.pages import documents
from webapp.pages.bundle import bundle
from webapp.pages.preview import DEFAULT, Preview, compared, preview
from webapp.runs import card as cards
from webapp.runs.models import named

# What every run that is opened shows at once.
_SHOWN = tuple(f"src/panes/{name}.tsx" for name in ("StagesTree", "IrText", "TextView"))
_BETWEEN = "..."
_A_DAY = "public, max-age=86400"
_PAIR = "Write two runs as /c/A...B, each by its name in its own link."
_DOCUMENTED = "The manual of workshops is at /docs/workshops.md."
_GONE = "Check the link; a run that nobody shared is deleted after 30 days."


@require_safe
def playground(request: HttpRequest) -> HttpResponse:
    """The page for a new run."""
    return _page(request, DEFAULT, run=None)


@require_safe
def workshop(request: HttpRequest, code: str) -> HttpResponse:
    """The page of somebody in a workshop, or at its door: it says nothing of it to anybody else."""
    return _page(request, DEFAULT, run=None)


@require_safe
def permalink(request: HttpRequest, run_id: str) -> HttpResponse:
    """The page of a run; 404 if there is none."""
    run = named(run_id).only("id", "state", "title", "verdict").first()
    if run is None:
        return _problem(request, f'There is no run "{run_id[:40]}".', _GONE)
    return _page(request, preview(run), run=run.pk)


@require_safe
@xframe_options_exempt
def embed(request: HttpRequest, run_id: str) -> HttpResponse:
    """The page of a run for a frame on another site: it shows, and changes nothing."""
    return permalink(request, run_id)


@require_safe
def card(request: HttpRequest, run_id: str) -> HttpResponse:
    """The picture beside the link of a run; 404 if nobody drew one."""
    picture = cards.of(run_id)
    if picture is None:
        return _problem(request, f'There is no picture of a run "{run_id[:40]}".', _GONE)
    answer = HttpResponse(picture, content_type="image/png")
    answer.headers["Cache-Control"] = _A_DAY
    return answer


@require_safe
def comparison(request: HttpRequest, pair: str) -> HttpResponse:
    """The page of two runs beside each other, named as A...B; 404 where there is not one of
    them."""
    names = pair.split(_BETWEEN)
    if len(names) != 2:
        return _problem(request, f'"{pair[:90]}" does not name two runs.', _PAIR)
    runs = []
    for name in names:
        run = named(name).only("id", "state", "title", "source").first()
        if run is None:
            return _problem(request, f'There is no run "{name[:40]}".', _GONE)
        runs.append(run)
    return _page(request, compared(*runs), run=None)


@require_safe
def document(request: HttpRequest, name: str) -> HttpResponse:
    """One of the project's documents, by its path below docs/; 404 if there is none."""
    found = documents.document(name)
    if found is None:
        return _problem(request, f'There is no document "{name[:40]}".', _DOCUMENTED)
    title, html = found
    return render(request, "pages/document.html", {"title": title, "html": html})


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """For load balancers, as plain text: 200 if the service is ok, else 503 with what does not
    answer."""
    now = health()
    if now.ok:
        return HttpResponse("ok\n", content_type="text/plain")
    away = " and ".join(name for name in ("db", "redis") if not getattr(now, name))
    status = HTTPStatus.SERVICE_UNAVAILABLE
    return HttpResponse(f"cannot reach: {away}\n", content_type="text/plain", status=status)


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """For load balancers, as plain text: 200 if a run would be done now, else 503 with why not."""
    if problems := unready():
        text, status = f"not ready: {'; '.join(problems)}\n", HTTPStatus.SERVICE_UNAVAILABLE
    else:
        text, status = "ready\n", HTTPStatus.OK
    return HttpResponse(text, content_type="text/plain", status=status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The error page for an unknown address."""
    return _problem(request, "There is no page at this address.", "The playground is at /.")


def refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """The error page that says why."""
    answer = _problem(request, refusal.message, refusal.remedy, refusal.status)
    answer.headers["Retry-After"] = str(refusal.again_s)
    return answer


def _page(request: HttpRequest, shown: Preview, run: str | None) -> HttpResponse:
    files = bundle(*(_SHOWN if run else ()))
    if files is None:
        return render(request, "pages/unbuilt.html", status=HTTPStatus.SERVICE_UNAVAILABLE)
    context = {
        "bundle": files,
        "preview": shown,
        "url": request.build_absolute_uri(request.path),
        "picture": request.build_absolute_uri(shown.picture),
        "config": _config(run),
        # As the page asks for it: the answer is on its way while the scripts are.
        "report": f"/api/v1/runs/{run}?texts=none" if run else None,
    }
    return render(request, "pages/app.html", context)


def _config(run: str | None) -> dict[str, Any]:
    """What the page must know before it asks for anything."""
    return {
        "run": run,
        "sandbox": settings.SANDBOX == "required",
        "maxSourceBytes": report.MAX_SOURCE_BYTES,
        "version": settings.VERSION,
    }


def _problem(
    request: HttpRequest, message: str, remedy: str, status: int = HTTPStatus.NOT_FOUND
) -> HttpResponse:
    context = {"message": message, "remedy": remedy, "status": HTTPStatus(status).phrase.lower()}
    return render(request, "pages/problem.html", context, status=status)
