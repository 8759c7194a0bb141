"""The playground and the permalink, as the server sends them."""

import json
import re
import struct

import pytest
from django.conf import settings

from webapp.runs.models import RunCard

MANIFEST = {
    "index.html": {
        "file": "assets/index-abcdefgh.js",
        "name": "index",
        "src": "index.html",
        "isEntry": True,
        "imports": ["_editor-12345678.js"],
        "dynamicImports": ["src/plot.ts"],
        "css": ["assets/index-abcdefgh.css"],
    },
    "_editor-12345678.js": {
        "file": "assets/editor-12345678.js",
        "css": ["assets/editor-12345678.css"],
        "imports": ["index.html"],
    },
    "src/plot.ts": {"file": "assets/plot-87654321.js", "isDynamicEntry": True},
    "src/panes/TextView.tsx": {
        "file": "assets/TextView-12344321.js",
        "imports": ["index.html"],
        "isDynamicEntry": True,
    },
    "src/panes/StagesTree.tsx": {"file": "assets/StagesTree-5678.js", "isDynamicEntry": True},
    "src/panes/IrText.tsx": {"file": "assets/IrText-8765.js", "isDynamicEntry": True},
}


@pytest.fixture
def built(tmp_path, settings):
    """A built frontend, as Vite describes it."""
    settings.FRONTEND = tmp_path
    (tmp_path / ".vite").mkdir()
    (tmp_path / ".vite" / "manifest.json").write_text(json.dumps(MANIFEST))


def config(page):
    found = re.search(r'<script id="config" type="application/json">(.*?)</script>', page)
    return json.loads(found[1])


def text(answer):
    return answer.content.decode()


def test_the_manual_of_workshops_is_a_page_with_what_it_links_to(bob):
    page = text(bob.get("/docs/workshops.md"))
    assert "<title>Workshops: Fuselab</title>" in page
    assert "For whoever leads" in page
    linked = set(re.findall(r'href="((?:how-to|decisions)/[^"]+)"', page))
    assert {"how-to/write-a-course.md", "how-to/write-an-exercise.md"} <= linked
    assert {bob.get(f"/docs/{each}").status_code for each in linked} == {200}


@pytest.mark.parametrize("name", ["nothing.md", "../README.md", "dashboard.json", "how-to"])
def test_no_other_file_is_a_document(bob, name):
    assert bob.get(f"/docs/{name}").status_code == 404


def test_the_playground_loads_the_built_files(built, bob):
    page = text(bob.get("/"))
    assert '<script type="module" src="/static/app/assets/index-abcdefgh.js">' in page
    assert '<link rel="stylesheet" href="/static/app/assets/index-abcdefgh.css">' in page
    assert '<link rel="stylesheet" href="/static/app/assets/editor-12345678.css">' in page
    assert '<link rel="modulepreload" href="/static/app/assets/editor-12345678.js">' in page
    assert "plot" not in page
    assert "TextView" not in page


def test_the_page_is_told_what_it_must_know(built, bob):
    assert config(text(bob.get("/"))) == {
        "run": None,
        "sandbox": True,
        "maxSourceBytes": 262144,
        "version": "0.1.0",
    }


def test_the_page_is_told_that_the_sandbox_is_off(built, bob, settings):
    settings.SANDBOX = "off-loopback-only"
    assert config(text(bob.get("/")))["sandbox"] is False


def test_without_a_build_the_page_says_how_to_make_one(tmp_path, settings, bob):
    settings.FRONTEND = tmp_path
    answer = bob.get("/")
    assert answer.status_code == 503
    assert "make run" in text(answer) and "npm run build" in text(answer)


@pytest.mark.django_db
def test_a_permalink_knows_its_run(built, make_run, bob):
    run = make_run(state="done", source='"""Softmax & more"""\nx = 1\n')
    page = text(bob.get(f"/r/{run.pk}"))
    assert config(page)["run"] == run.pk
    assert '<meta property="og:title" content="Softmax &amp; more - Fuselab">' in page
    assert f'<meta property="og:url" content="http://testserver/r/{run.pk}">' in page


@pytest.mark.django_db
def test_a_permalink_loads_its_report_and_the_view_of_texts_beside_the_script(built, make_run, bob):
    run = make_run(state="done")
    page = text(bob.get(f"/r/{run.pk}"))
    report = f"/api/v1/runs/{run.pk}?texts=none"
    assert f'<link rel="preload" as="fetch" crossorigin href="{report}">' in page
    assert '<link rel="modulepreload" href="/static/app/assets/TextView-12344321.js">' in page
    assert page.count("index-abcdefgh.js") == 1


@pytest.mark.django_db
def test_the_script_that_all_wait_for_is_asked_for_before_the_parts(built, make_run, bob):
    """Browsers ask a server without HTTP/2 for six files at a time."""
    page = text(bob.get(f"/r/{make_run(state='done').pk}"))
    asked = re.findall(r'(?:src|href)="/static/app/assets/(\w+)-[^"]*\.js"', page)
    assert asked[0] == "index"
    assert {"TextView", "StagesTree", "IrText"} <= set(asked)


@pytest.mark.django_db
def test_a_link_says_what_its_run_came_to_and_shows_its_picture(built, make_run, bob):
    run = make_run(state="done", verdict="f: 6 → 3 kernels.")
    bare = text(bob.get(f"/r/{run.pk}"))
    assert '<meta property="og:description" content="f: 6 → 3 kernels. The IR' in bare
    assert '<meta property="og:image" content="http://testserver/static/card.png">' in bare
    RunCard.objects.create(run=run, picture=b"")
    page = text(bob.get(f"/r/{run.pk}"))
    assert f'<meta property="og:image" content="http://testserver/r/{run.pk}/card.png">' in page
    assert '<meta name="twitter:card" content="summary_large_image">' in page


def test_the_picture_of_what_nobody_drew_is_of_the_size_that_is_told():
    head = (settings.BASE_DIR / "webapp" / "static" / "card.png").read_bytes()[:24]
    assert struct.unpack(">II", head[16:24]) == (1200, 630)


@pytest.mark.django_db
def test_a_page_for_a_frame_may_be_framed_by_anybody(built, make_run, bob):
    answer = bob.get(f"/e/{make_run(state='done').pk}")
    assert answer.status_code == 200
    assert "X-Frame-Options" not in answer.headers
    assert "frame-ancestors" not in answer.headers["Content-Security-Policy"]
    assert bob.get("/e/nope").status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("source", ["def f(:", "import torch\n", "\\", "(" * 5000, "\ufeff"])
def test_a_source_that_is_no_program_has_a_permalink_all_the_same(built, make_run, bob, source):
    assert bob.get(f"/r/{make_run(source=source).pk}").status_code == 200


@pytest.mark.django_db
def test_a_title_cannot_break_out_of_the_page(built, make_run, bob):
    run = make_run(source='"""</title><script>alert(1)</script>"""')
    assert "<script>alert" not in text(bob.get(f"/r/{run.pk}"))


@pytest.mark.django_db
@pytest.mark.parametrize("unknown", ["nope", "a" * 24, "%00", "é"])
def test_an_unknown_permalink_is_one_sentence(built, bob, unknown):
    answer = bob.get(f"/r/{unknown}")
    assert answer.status_code == 404
    assert "<h1>There is no run &quot;" in text(answer)


@pytest.mark.django_db
def test_two_runs_have_a_page_that_names_both(built, make_run, bob):
    a, b = (make_run(state="done", source=f'"""{name}"""\n') for name in ("Before", "After"))
    page = text(bob.get(f"/c/{a.pk}...{b.pk}"))
    assert '<meta property="og:title" content="Before and After compared - Fuselab">' in page


@pytest.mark.django_db
@pytest.mark.parametrize("pair", ["{0}...nope", "nope...{0}", "{0}", "{0}...{0}...{0}"])
def test_what_does_not_name_two_runs_is_one_sentence(built, make_run, bob, pair):
    answer = bob.get(f"/c/{pair.format(make_run().pk)}")
    assert answer.status_code == 404
    assert "There is no run &quot;nope&quot;." in text(answer) or "two runs" in text(answer)


def test_an_unknown_page_is_one_sentence(bob):
    answer = bob.get("/nothing/here")
    assert answer.status_code == 404
    assert "There is no page at this address." in text(answer)
