"""A wall clock that some processes have for themselves, and that can be set: the machine's stays as
it is, for other people live by it."""

import struct
import subprocess
from pathlib import Path

_SOURCE = Path(__file__).with_name("clock.c")
_FORM = "l"


class Clock:
    """Built in `folder`. Who is started with `environment` has it; who is in a sandbox has not,
    since a sandbox takes no environment from outside."""

    def __init__(self, folder: Path) -> None:
        library, self._apart = folder / "clock.so", folder / "clock"
        self.set(0)
        build = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(_SOURCE), "-ldl"]
        subprocess.run(build, check=True)
        self.environment = {"LD_PRELOAD": str(library), "CLOCK_APART": str(self._apart)}

    def set(self, seconds: int) -> None:
        """The clock is so many seconds ahead of the machine's from now on."""
        # In place, for it is mapped by those who read it.
        with open(self._apart, "r+b" if self._apart.exists() else "wb") as file:
            file.write(struct.pack(_FORM, seconds))
