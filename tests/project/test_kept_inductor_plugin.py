"""What is kept of the C++ compiler's work for Inductor, seen on a text of one function."""

import ctypes
from pathlib import Path

import pytest

from tests.kept_inductor_plugin import KeptKernels

pytestmark = pytest.mark.cpu


@pytest.fixture
def compiled() -> list[str]:
    """The commands that were run."""
    return []


@pytest.fixture
def kept(compiled: list[str], tmp_path: Path) -> KeptKernels:
    from torch._inductor import cpp_builder

    run = cpp_builder._run_compile_cmd
    while isinstance(run, KeptKernels):
        run = run._run

    def counted(line: str, cwd: str) -> None:
        compiled.append(line)
        run(line, cwd)

    (tmp_path / "kept").mkdir()
    return KeptKernels(counted, tmp_path / "kept")


def value_of(kept: KeptKernels, folder: Path, value: int) -> int:
    """What a kernel gives that is compiled in a folder of its own."""
    folder.mkdir()
    source, target = folder / "a.main.cpp", folder / "a.main.so"
    source.write_text(f'extern "C" int f() {{ return {value}; }}\n')
    kept(f"g++ -shared -fPIC {source} -o {target}", str(folder))
    return int(ctypes.CDLL(str(target)).f())


def test_a_kernel_is_compiled_once(kept: KeptKernels, compiled: list[str], tmp_path: Path) -> None:
    for name, value in (("a", 1), ("b", 1), ("c", 2)):
        assert value_of(kept, tmp_path / name, value) == value
    assert len(compiled) == 2


def test_what_is_refused_is_refused_again(
    kept: KeptKernels, compiled: list[str], tmp_path: Path
) -> None:
    source, target = tmp_path / "a.main.cpp", tmp_path / "a.main.so"
    source.write_text("int f() { return nothing_of_the_kind; }\n")
    for _ in range(2):
        with pytest.raises(Exception, match="nothing_of_the_kind"):
            kept(f"g++ -shared {source} -o {target}", str(tmp_path))
    assert len(compiled) == 2
