"""The web process starts without the frameworks, and a process apart without Django."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
import webapp.asgi
heavy = {"torch", "jax", "jaxlib", "triton", "numpy"} & sys.modules.keys()
core = {name for name in sys.modules if name.startswith("compiler_core.")}
assert not heavy, heavy
core = {name for name in core if name.split(".")[1] not in ("report", "inputs", "wording")}
assert not core, core
assert not any(name.split(".")[0] == "worker" for name in sys.modules)
"""


def test_the_web_process_imports_no_framework_and_no_compiler():
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, timeout=60)


@pytest.mark.parametrize(
    "module",
    [
        "webapp.runs.applied",
        "webapp.runs.comparing",
        "webapp.runs.stored",
        "webapp.workshops.exercises.judged",
    ],
)
def test_a_process_apart_imports_no_django(module: str) -> None:
    program = f"import sys, webapp.apart.__main__, {module}; assert 'django' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
