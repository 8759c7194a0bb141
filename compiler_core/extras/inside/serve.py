"""Serves one compiler to the process that started this one: `python -I serve.py FILE`.

A request is a line of JSON on standard input, `{"do": NAME, ...}`; each is answered by one line on
what was standard output, `{"ok": ...}` or `{"error": one sentence, "raw": the whole message}`.
Texts and arrays are passed as files. FILE has a class `Compiler` with `compile(**request)`, whose
result is the reply, and, where programs can be run:

    arguments(arrays) -> what `call` takes   call(arguments) -> outputs
    arrays(outputs) -> arrays                about() -> how it is run, in words

When standard input is closed, this process ends with all processes that it has started.
"""

import importlib.util
import json
import os
import queue
import resource
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

# The largest file that a compiler may write, and the longest message that is passed on.
_FILE_BYTES = 256 * 2**20
_LONGEST = 20_000


class Served:
    """A compiler with the sets of inputs that were loaded, and the outputs of the last call."""

    def __init__(self, compiler: Any) -> None:
        self._compiler = compiler
        self._loaded: list[Any] = []
        self._outputs: Any = None

    def compile(self, **request: Any) -> Any:
        """The compiler's reply to the request."""
        return self._compiler.compile(**request)

    def about(self) -> Any:
        """How the program is run, in words."""
        return self._compiler.about()

    def load(self, file: str) -> int:
        """Loads a set of inputs that `write` wrote; returns its number."""
        self._loaded.append(self._compiler.arguments(read(file)))
        return len(self._loaded) - 1

    def call(self, sets: list[int]) -> int:
        """Calls the program once for each set; returns the nanoseconds that all calls took by this
        process's monotonic clock."""
        loaded = [self._loaded[each] for each in sets]
        call, outputs = self._compiler.call, None
        start = time.perf_counter_ns()
        for each in loaded:
            outputs = call(each)
        spent = time.perf_counter_ns() - start
        self._outputs = outputs
        return spent

    def save(self, file: str) -> None:
        """Writes the outputs of the last call to a file, as `write` does."""
        write(file, self._compiler.arrays(self._outputs))


def write(file: str, arrays: list[Any]) -> None:
    """Writes arrays to an .npz file, in order. Those of a dtype that numpy alone does not know
    (bfloat16) are written as bytes, with the dtype's name."""
    named: dict[str, Any] = {}
    for number, each in enumerate(map(np.asarray, arrays)):
        own = each.dtype.kind != "V" and each.dtype.isbuiltin == 1
        data = each if own else np.frombuffer(np.ascontiguousarray(each).tobytes(), np.uint8)
        shape = "x".join(map(str, each.shape))
        named[f"{number:06} {'' if own else each.dtype.name} {shape}"] = data
    with open(file, "wb") as opened:
        np.savez(opened, **named)


def read(file: str) -> list[Any]:
    """The arrays that `write` wrote, in order."""
    with np.load(file) as stored:
        return [_restored(name, stored[name]) for name in sorted(stored.files)]


def _restored(name: str, data: Any) -> Any:
    _, kind, shape = name.split(" ")
    if not kind:
        return data
    import ml_dtypes

    sizes = [int(size) for size in shape.split("x") if size]
    return data.view(np.dtype(getattr(ml_dtypes, kind))).reshape(sizes)


def loaded(file: str) -> Any:
    """The class `Compiler` of a Python file, which need not be on sys.path."""
    spec = importlib.util.spec_from_file_location("fuselab_extra", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Compiler


def answer(make: Any, requests: Any) -> Any:
    """Yields the reply to each request, a line of JSON; `make` creates the compiler at the first
    one."""
    served = None
    for line in requests:
        try:
            served = served or Served(make())
            request = json.loads(line)
            yield {"ok": getattr(served, request.pop("do"))(**request)}
        except Exception as error:
            yield {"error": _sentence(error), "raw": str(error)[:_LONGEST]}


def _sentence(error: Exception) -> str:
    """The first line that names an error, else the first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    named = (line.partition("error: ")[2] for line in lines if "error: " in line)
    return str(next(named, lines[0] if lines else type(error).__name__))[:500]


def _requests() -> Any:
    """Lines of standard input; this process's group ends where there are no more, whatever it is
    busy with."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin:
            lines.put(line)
        os.killpg(os.getpgrp(), signal.SIGKILL)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        yield lines.get()


def main() -> None:
    """Reads requests of standard input, one a line, and writes a reply in JSON to each; the file of
    this folder that is named by the argument handles them."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
    # What a library prints must not be read as a reply.
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    make = loaded(str(Path(__file__).parent / sys.argv[1]))
    for reply in answer(make, _requests()):
        replies.write(json.dumps(reply) + "\n")


if __name__ == "__main__":
    main()
