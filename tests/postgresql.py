"""A PostgreSQL server of one's own, for as long as it is needed."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg

from launcher.supervisor import die_with_parent
from tests.ports import free_port

# Where Debian, Red Hat and Homebrew have it beside the PATH.
_PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")
_NOBODY = 65534
_SECONDS = 20


class NotThere(Exception):
    """The machine has no PostgreSQL."""


class Postgresql:
    """A server in `folder` at a port of its own, by a user who is not root, whom it refuses."""

    def __init__(self, folder: Path) -> None:
        found = _binaries()
        if found is None:
            raise NotThere("needs initdb and postgres (Debian: apt-get install postgresql)")
        self._folder, self._port, self._bin = folder, free_port(), found
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            self._as = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}
            os.chown(folder, _NOBODY, _NOBODY)
        data = str(folder / "data")
        made = ("initdb", "--pgdata", data, "--username=fuselab", "--auth=trust", "--no-sync")
        self._do(*made, "--encoding=UTF8", "--locale=C")
        self._server = ["postgres", "-D", data, "-h", "127.0.0.1", "-p", str(self._port)]
        self._server += ["-k", str(folder), "-c", "fsync=off"]
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it is."""
        return f"postgresql://fuselab:fuselab@127.0.0.1:{self._port}/postgres"

    def _do(self, name: str, *words: str) -> None:
        command = (str(self._bin / name), *words)
        subprocess.run(command, cwd=self._folder, check=True, capture_output=True, **self._as)

    def start(self, *settings: str) -> None:
        """Returns when it answers. `settings` are such as "max_connections=20"."""
        name, *words = self._server
        told = [word for each in settings for word in ("-c", each)]
        with open(self._folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [str(self._bin / name), *words, *told],
                cwd=self._folder,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,  # noqa: PLW1509  # one prctl, which takes no lock
                **self._as,
            )
        for _ in range(10 * _SECONDS):
            with suppress(psycopg.OperationalError):
                return psycopg.connect(self.url, connect_timeout=2).close()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(0.1)
                break
        self.stop()
        raise RuntimeError((self._folder / "log").read_text())

    def stop(self) -> None:
        """Ends it as a machine that fails would; what was committed stays."""
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(_SECONDS)


@contextmanager
def postgresql(*settings: str) -> Iterator[Postgresql]:
    """A server that answers. Raises NotThere."""
    # Not in a folder of tests, which is their user's alone.
    with TemporaryDirectory() as name:
        server = Postgresql(Path(name))
        server.start(*settings)
        try:
            yield server
        finally:
            server.stop()


def _binaries() -> Path | None:
    found = shutil.which("initdb", path=os.pathsep.join((os.environ["PATH"], *_folders())))
    return Path(found).parent if found else None


def _folders() -> list[str]:
    root = Path("/")
    return [str(each) for place in _PLACES for each in sorted(root.glob(place[1:]), reverse=True)]
