"""One snippet under two versions of JAX, each for real, and what the two reports differ in."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from compiler_core.environments import installed

NAMES = ("jax-0.9", "jax-0.11")
pytestmark = [pytest.mark.cpu, pytest.mark.timeout(110)]
SNIPPET = """
import jax
import jax.numpy as jnp


@jax.jit
def f(x, b):
    return jax.nn.softmax(jax.nn.gelu(x + b), -1)


f(jnp.ones((64, 32)), jnp.ones(32))
"""


def asked(*arguments: object) -> str:
    command = [sys.executable, "-m", "compiler_core", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.extra(each)) for each in NAMES]
)
def test_each_version_compiles_the_snippet_and_the_two_are_compared(
    name: str, tmp_path: Path
) -> None:
    snippet, own, other = (tmp_path / name for name in ("f.py", "own.json", "other.json"))
    snippet.write_text(SNIPPET)
    look = ("--compilers", "core,xla", "--insides", "jax,xla", "--no-measure", "--json")
    asked("explore", snippet, *look, own)
    asked("explore", snippet, "--toolchain", name, *look, other)
    reports = [json.loads(path.read_text()) for path in (own, other)]
    first, second = (report["toolchain"]["jax"] for report in reports)
    assert second == installed()[name].versions["jax"] != first
    assert reports[1]["options"]["toolchain"] == name
    for report in reports:
        (program,) = report["programs"]
        passes = [s for s in program["stages"] if s["compiler"] == "xla" and s["changed"]]
        assert program["status"] == "ok" and len(passes) > 5
        assert {each["compiler"] for each in program["compilers"]} >= {"core", "xla"}
    said = asked("compare", own, other)
    assert first in said and second in said
