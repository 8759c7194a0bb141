"""Loading generated text as Triton functions, without a file.

Triton reads the source of a function through `inspect`, which uses `linecache`; the text is
registered there under a unique name while the functions are created.
"""

import linecache
from types import ModuleType

from compiler_core.codegen.writer import Source


def file_name(source: Source) -> str:
    """The file name in Triton's line information."""
    return f"{source.name}.py"


def load(source: Source) -> ModuleType:
    """The module of `source`, its functions ready for Triton to compile, launch or interpret."""
    name = file_name(source)
    module = ModuleType(source.name)
    module.__file__ = name
    linecache.cache[name] = (len(source.text), None, source.text.splitlines(True), name)
    try:
        exec(compile(source.text, name, "exec"), module.__dict__)
        _prepare_interpreter(module)
    finally:
        linecache.cache.pop(name, None)
    return module


def _prepare_interpreter(module: ModuleType) -> None:
    """Under TRITON_INTERPRET=1: installs what the interpreter has not, and makes functions
    read their source now rather than at the first launch."""
    from triton import knobs

    if not knobs.runtime.interpret:
        return
    from compiler_core.codegen.triton.interpreted import device_library as triton_interpreted

    triton_interpreted.mend()
    if hasattr(module, "libdevice"):
        vars(module)["libdevice"] = triton_interpreted
    for value in list(vars(module).values()):
        if hasattr(value, "rewrite"):
            value.rewrite()
