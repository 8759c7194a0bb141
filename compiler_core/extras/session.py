"""A session with a compiler in another process (inside/serve.py is its other end).

Arrays and texts are passed as files in a folder of the session; requests and replies are lines of
JSON. Every request has a time limit, and every reply a size limit. The process and its children are
killed with the session, and end by themselves if this process dies.
"""

import json
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from compiler_core.errors import ToolchainError, first_line
from compiler_core.extras.inside import serve

_INSIDE = Path(serve.__file__).parent
_REPLY_BYTES = 1 << 20
_STDERR_BYTES = 4000
# The most seconds to start, to compile and to call: longer ones would hold up everything after
# them.
COMPILE_S = 120.0
CALL_S = 60.0


class Session:
    """The process of one compiler, which sentences call `title`; `file` is its program in the
    folder inside/. The process is started at once, and the first request waits for its imports.
    Raises ToolchainError if it cannot be started."""

    def __init__(self, title: str, python: Path, file: str) -> None:
        self.title = title
        self.folder = Path(tempfile.mkdtemp(prefix="fuselab-extra-"))
        self._stderr = self.folder / "stderr.txt"
        self._process = self._started([str(python), "-I", str(_INSIDE / "serve.py"), file])
        self._rest = b""
        self._files = 0
        self.close = weakref.finalize(self, _end, self._process, self.folder)

    def _started(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        try:
            with open(self._stderr, "wb") as stderr:
                return subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
                    cwd=self.folder, process_group=0,
                )  # fmt: skip
        except OSError as error:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise ToolchainError(f"{self.title} does not start: {error.strerror}") from error

    def new_file(self, name: str) -> Path:
        """The path of a new file in the session's folder; its name ends in `name`."""
        self._files += 1
        return self.folder / f"{self._files}-{name}"

    def ask(self, do: str, *, seconds: float = CALL_S, **request: Any) -> Any:
        """The reply to one request, `{"do": do, **request}`. Raises ToolchainError with the
        compiler's message if it refuses, if its process dies, or if it takes longer than `seconds`;
        in the latter two cases the process has ended."""
        line = json.dumps({"do": do, **request}).encode() + b"\n"
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(line)
            self._process.stdin.flush()
            reply = json.loads(self._line(time.monotonic() + seconds))
        except (OSError, EOFError, ValueError) as error:
            raise self._lost(error) from error
        if "error" in reply:
            raise ToolchainError(f"{reply['error']}\n{reply.get('raw', '')}")
        return reply["ok"]

    def _line(self, deadline: float) -> bytes:
        """The next line of the process's output. Raises TimeoutError at the deadline."""
        out = self._process.stdout
        assert out is not None
        with selectors.DefaultSelector() as ready:
            ready.register(out, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                if not ready.select(max(0.0, deadline - time.monotonic())):
                    raise TimeoutError("it took too long")
                self._rest += self._read(out)
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _read(self, out: BinaryIO | Any) -> bytes:
        data = os.read(out.fileno(), 1 << 16)
        if not data:
            raise EOFError("it ended")
        if len(self._rest) > _REPLY_BYTES:
            raise ValueError("it answered more than anybody asked for")
        return data

    def _lost(self, error: Exception) -> ToolchainError:
        stderr = self._stderr.read_bytes()[-_STDERR_BYTES:].decode(errors="replace").strip()
        self.close()
        last = first_line(stderr.splitlines()[-1]) if stderr else ""
        why = f"{error}" if isinstance(error, TimeoutError) else last or str(error)
        return ToolchainError(f"{self.title}'s process was ended: {why}\n{stderr}")


def _end(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Ends the process with all of its group, and removes its files."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    for each in (process.stdin, process.stdout):
        if each is not None:
            try:
                each.close()
            except OSError:  # a request that nobody takes any more
                pass
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)
