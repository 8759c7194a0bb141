"""Small courses, and the zips that people send."""

import io
import zipfile
from collections.abc import Mapping

FILES = {
    "course.toml": 'title = "Fusion"\nminutes = 30\nabout = "What shares a kernel."\n',
    "01-welcome.md": "# Welcome\n\nRead *on*.\n",
    "02-softmax.md": "# One kernel\n\n```fuselab exercise=one-kernel\n```\n",
    "exercises/one-kernel/exercise.toml": (
        'title = "One"\ntext = "Make it one."\ncall = "f(f32[4])"\nhints = ["A row."]\n'
        '[[check]]\nkind = "kernels"\nat_most = 1\n'
    ),
    "exercises/one-kernel/start.py": "# inputs: f32[4]\ndef f(x):\n    return x + 1\n",
    "exercises/one-kernel/answer.py": "# inputs: f32[4]\ndef f(x):\n    return x + 2\n",
}


def files(**changed: str | None) -> dict[str, str]:
    """A course's files, some of them changed by their paths; None: not there."""
    every = {**FILES, **changed}
    return {path: text for path, text in every.items() if text is not None}


def zipped(held: Mapping[str, str | bytes], folder: str = "") -> bytes:
    """A zip of these files, in a folder."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in held.items():
            archive.writestr(folder + path, content)
    return out.getvalue()
