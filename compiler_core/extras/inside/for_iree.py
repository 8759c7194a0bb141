"""IREE: compiles StableHLO for this CPU, and runs it with the faster of its two CPU drivers."""

import importlib.metadata
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy
from iree import compiler, runtime

# The drivers with one thread, and with one for each processor.
_DRIVERS = ("local-sync", "local-task")
_TRIALS = 5
# Element types of IREE for which its Python binding has no numpy dtype.
_UNKNOWN = {
    int(runtime.HalElementType.BFLOAT_16): numpy.dtype(ml_dtypes.bfloat16),
    int(runtime.HalElementType.FLOAT_8_E4M3_FN): numpy.dtype(ml_dtypes.float8_e4m3fn),
    int(runtime.HalElementType.FLOAT_8_E5M2): numpy.dtype(ml_dtypes.float8_e5m2),
}
_FLAGS = ("--iree-llvmcpu-target-cpu=host",)
_DUMPED = (
    "--mlir-print-debuginfo",
    "--mlir-timing",
    "--mlir-timing-display=list",
    "--mlir-elide-elementsattrs-if-larger=64",
    "--mlir-elide-resource-strings-if-larger=64",
)


class Compiler:
    """Compiles and runs one program."""

    def __init__(self) -> None:
        self._functions: dict[str, Any] = {}
        self._devices: dict[str, Any] = {}
        self._driver = ""
        self._fastest: dict[str, float] = {}

    def compile(self, text: str, dump: str = "") -> dict[str, Any]:
        """Compiles the module in the file `text`; returns the milliseconds that this took, and
        IREE's version. With `dump`, a folder, its phases, executables and timings are written there
        instead, and nothing is loaded. Raises what the compiler raises."""
        start = time.perf_counter()
        if dump:
            _dump(text, dump)
        else:
            self._load(compiler.compile_file(
                text, target_backends=["llvm-cpu"], input_type="stablehlo", extra_args=_FLAGS
            ))  # fmt: skip
        ms = (time.perf_counter() - start) * 1e3
        return {"ms": ms, "version": importlib.metadata.version("iree-base-compiler")}

    def _load(self, binary: bytes) -> None:
        for driver in _DRIVERS:
            context = runtime.SystemContext(config=runtime.Config(driver))
            module = runtime.VmModule.copy_buffer(context.instance, binary)
            context.add_vm_module(module)
            self._functions[driver] = context.modules[module.name]["main"]
            self._devices[driver] = context.config.device

    def about(self) -> str:
        """The driver that was chosen, with the milliseconds of both."""
        took = ", ".join(f"{name} {ms:.3f} ms" for name, ms in self._fastest.items())
        return f"driver {self._driver}, the faster of two in {_TRIALS} calls ({took})"

    def _choose(self, arrays: list[Any]) -> None:
        for driver in _DRIVERS:
            self._driver = driver
            arguments = self.arguments(arrays)
            self._fastest[driver] = min(self._once(arguments) for _ in range(_TRIALS))
        self._driver = min(self._fastest, key=lambda each: self._fastest[each])
        self._functions = {self._driver: self._functions[self._driver]}

    def _once(self, arguments: list[Any]) -> float:
        start = time.perf_counter()
        self.call(arguments)
        return (time.perf_counter() - start) * 1e3

    def arguments(self, arrays: list[Any]) -> list[Any]:
        """The arrays on the device; the first call chooses the driver."""
        if not self._driver:
            self._choose(arrays)
        device = self._devices[self._driver]
        return [runtime.asdevicearray(device, each) for each in arrays]

    def call(self, arguments: list[Any]) -> Any:
        """Runs the program; returns when its results have been computed."""
        return self._functions[self._driver](*arguments)

    def arrays(self, outputs: Any) -> list[Any]:
        """The outputs as numpy arrays."""
        outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        return [_on_host(each) for each in outputs]


def _on_host(array: Any) -> Any:
    """As a numpy array. What the runtime knows no dtype for is read as whole numbers of its
    size."""
    view = array._buffer_view
    dtype = _UNKNOWN.get(view.element_type)
    if dtype is None:
        return array.to_host()
    words = view.map().asarray(view.shape, numpy.dtype(f"u{dtype.itemsize}"))
    return words.copy().view(dtype)


def _dump(text: str, folder: str) -> None:
    """Compiles, and writes the phases, the executables and timing.txt into the folder."""
    program = Path(compiler.__file__).parent / "_mlir_libs" / "iree-compile"
    command = [
        str(program), text, "-o", os.devnull,
        "--iree-hal-target-backends=llvm-cpu", "--iree-input-type=stablehlo", *_FLAGS, *_DUMPED,
        f"--dump-compilation-phases-to={folder}/phases",
        f"--iree-hal-dump-executable-files-to={folder}/executables",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    Path(folder, "timing.txt").write_text(done.stderr)
