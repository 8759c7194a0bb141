"""What holds for every test: how the frameworks are set up, what is skipped, and the plugins."""

import gc
import os

import pytest

# What the frameworks make while they are imported lives as long as the tests do. Visiting its
# million objects again and again, as the collector would, is a fifth of the time of all tests.
gc.disable()

# And what a test makes is seldom garbage: captured graphs and traces hold a hundred thousand
# objects, which the collector's default, seven hundred, would visit some twenty times.
_COLLECT_AFTER = (20_000, 20, 20)

# XLA's options in processes that ask what a program means, not how fast it is: what LLVM does
# beyond turning XLA's program into machine code is a third of their time. `make run` as tests start
# it has XLA as everybody has it.
os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
    " --xla_cpu_parallel_codegen_split_count=1",
)

pytest_plugins = [
    "tests.golden_plugin",
    "tests.kept_plugin",
    "tests.kept_kernels_plugin",  # which asks the one before where
    "tests.kept_inductor_plugin",
    "tests.kept_xla_plugin",
    "tests.logged_plugin",
    "tests.null_plugin",
    "tests.row_plugin",
    "tests.sweep_plugin",
    "pytester",
]


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    # pytest collects what is left five times, and Python once more: seconds of each process.
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") and not _gpu():
        pytest.skip("needs an NVIDIA GPU")
    if extra := item.get_closest_marker("extra"):
        _require(*extra.args)


def _require(name: str) -> None:
    from compiler_core.environments import installed

    if name not in installed():
        pytest.skip(f"needs what `make toolchain NAME={name}` installs")


def _gpu() -> bool:
    # Late: importing torch takes seconds, and only tests marked gpu ask.
    import torch

    return torch.cuda.is_available()
