"""A program found in a snippet: something to call, and what to call it with."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from compiler_core.report import Framework


@dataclass(frozen=True)
class FoundProgram:
    """`fn` is the plain function or nn.Module, not the compiled wrapper; `args` and `kwargs` are
    the arguments of its first call: tensors or arrays on the device where it will run."""

    name: str
    framework: Framework
    line: int | None
    fn: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    # jax.jit's static arguments, by position and by name.
    static_argnums: tuple[int, ...] = ()
    static_argnames: tuple[str, ...] = ()


def input_specs(program: FoundProgram) -> list[str]:
    """The tensors of the call as specs: ["f32[4096,1024]", "f32[1024]"]."""
    return list(_specs((program.args, dict(program.kwargs))))


_DTYPES = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16",
    "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8",
    "uint64": "u64", "uint32": "u32", "uint16": "u16", "uint8": "u8", "bool": "bool",
}  # fmt: skip


def _specs(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _specs(item)
    elif hasattr(value, "shape") and hasattr(value, "dtype"):
        name = str(value.dtype).removeprefix("torch.")
        yield f"{_DTYPES.get(name, name)}[{','.join(map(str, value.shape))}]"
