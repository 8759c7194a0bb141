"""The web process starts without the frameworks."""

import subprocess
import sys

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
