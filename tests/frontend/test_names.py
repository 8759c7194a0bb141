"""What the editor completes is what is installed."""

import json

from frontend import generate_names


def test_the_names_are_those_of_the_installed_frameworks() -> None:
    there = json.loads(generate_names.NAMES.read_text(encoding="utf-8"))
    assert there == generate_names.names(), "python frontend/generate_names.py"
