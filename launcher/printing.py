"""What the services say, in one terminal or one stream of lines."""

import json
import os
import sys
from collections.abc import Callable, Sequence


def _print_object(name: str, text: str) -> None:
    """The line as it is where it is an object; else one with it."""
    said = {"level": "INFO", "logger": name, "message": text}
    sys.stdout.write(f"{text if text.startswith('{') else json.dumps(said)}\n")
    sys.stdout.flush()


def printer(names: Sequence[str]) -> Callable[[str, str], None]:
    """Lines as `name | text`, each name in its colour where the terminal has colours; with
    FUSELAB_LOG=json one object each."""
    if os.environ.get("FUSELAB_LOG") == "json":
        return _print_object
    width = max(map(len, names))
    colours = {name: f"\033[{36 - i % 6}m" for i, name in enumerate(names)}
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ

    def log(name: str, text: str) -> None:
        head = f"{name:<{width}} |"
        head = head if plain else f"{colours.get(name, '')}{head}\033[0m"
        sys.stdout.write(f"{head} {text}\n")
        sys.stdout.flush()

    return log
