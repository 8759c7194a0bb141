"""Generated text -> Triton functions, without a file.

Triton reads a function's text through `inspect`, which reads it through `linecache`; the text is
put there under a name of its own for as long as the functions are being made.
"""

import linecache
from types import ModuleType

from compiler_core.codegen.writer import Source


def file_name(source: Source) -> str:
    """The file that Triton's line information names."""
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
    """Under TRITON_INTERPRET=1: the device library's stand-in, and functions that read their
    text now, not at the first launch."""
    from triton import knobs

    if not knobs.runtime.interpret:
        return
    from compiler_core.codegen.triton import interpreted as triton_interpreted

    if hasattr(module, "libdevice"):
        module.libdevice = triton_interpreted  # type: ignore[attr-defined]
    for value in list(vars(module).values()):
        if hasattr(value, "rewrite"):
            value.rewrite()
