"""A kernel's own names and neutral ones, so that kernels that differ only in their names are
compiled once."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from compiler_core.codegen.triton.module import TritonSource


@dataclass(frozen=True)
class Names:
    """Replaces a kernel's names of functions and pointers by neutral ones, and back."""

    entries: Mapping[str, str]
    pointers: Mapping[str, str]

    @staticmethod
    def of(source: TritonSource) -> "Names":
        """The names in a module."""
        buffers = dict.fromkeys(b.name for b in source.launch.arguments)
        return Names(
            {source.launch.entry: "kernel_0_entry"},
            {f"{name}_ptr": f"buffer_{i}_ptr" for i, name in enumerate(buffers)},
        )

    def neutral(self, text: str) -> str:
        """`text` with neutral names."""
        names = {**self.entries, **self.pointers}
        return re.sub(r"\b\w+\b", lambda m: names.get(m[0], m[0]), text)

    def restore(self, text: str) -> str:
        """The original names in a text, also within longer names such as kernel_0_entry_param_2."""
        own = {neutral: name for name, neutral in (*self.entries.items(), *self.pointers.items())}
        return re.sub(r"kernel_\d+_entry|buffer_\d+_ptr", lambda m: own.get(m[0], m[0]), text)
