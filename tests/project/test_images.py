"""What the Dockerfiles copy is enough to start, and no more than the image should have."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMPILER = {"torch", "triton", "jax", "jaxlib", "numpy"}
# Built in the image, or made by the image.
MADE = {"frontend", "pyproject.toml", "constraints.txt", "locked.txt", "pip.txt"}


def dockerfile(image: str) -> str:
    return (ROOT / "docker" / f"{image}.Dockerfile").read_text()


def copy(image: str, to: Path) -> None:
    """What the image's COPY lines say, into the folder `to`."""
    for words in re.findall(r"^COPY (?!--from)(.+)$", dockerfile(image), flags=re.MULTILINE):
        *sources, target = words.split()
        for source in set(sources) - MADE:
            place = to / target if source == target else to / target / Path(source).name
            place.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / source).is_dir():
                # With what Python has compiled of it, which it takes beside its source alone.
                ignored = shutil.ignore_patterns("static")
                shutil.copytree(ROOT / source, place, ignore=ignored, dirs_exist_ok=True)
            else:
                shutil.copy2(ROOT / source, place)


@pytest.mark.service
@pytest.mark.parametrize(
    ("image", "program"),
    [
        (
            "web",
            # Whatever it imports when it is first asked for, without what the image has not.
            "import sys, pkgutil; from importlib import import_module\n"
            f"sys.modules.update(dict.fromkeys({COMPILER!r}))\n"
            "import webapp.asgi, webapp.urls, webapp.serve\n"
            "for each in pkgutil.walk_packages(webapp.__path__, 'webapp.'):\n"
            "    if '__main__' not in each.name: import_module(each.name)\n",
        ),
        (
            "worker",
            "from worker.app import app; app.loader.import_default_modules()\n"
            "import compiler_core.pipeline",
        ),
    ],
)
def test_what_is_copied_can_start(image: str, program: str, tmp_path: Path) -> None:
    copy(image, tmp_path)
    environment = {
        "FUSELAB_SECRET_KEY": "only for tests, and long enough to be refused nowhere",
        "DATABASE_URL": "sqlite:///runs",
    }
    subprocess.run(
        (sys.executable, "-c", program), cwd=tmp_path, env=environment, check=True, timeout=60
    )


def test_the_web_image_has_no_compiler() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    installed = set(re.findall(r"--group (\w+)", dockerfile("web")))
    assert installed == {"web", "page"}
    names = {re.split(r"[=<>\[]", entry)[0] for group in installed for entry in groups[group]}
    assert not names & COMPILER


def test_every_copied_path_is_let_through_by_dockerignore() -> None:
    allowed = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), flags=re.MULTILINE)
    for image in ("web", "worker"):
        copies = re.findall(r"^COPY (?!--from)(.+)$", dockerfile(image), flags=re.MULTILINE)
        for source in (source for words in copies for source in words.split()[:-1]):
            assert source.split("/")[0] in allowed, source
