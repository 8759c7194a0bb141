"""Remedies for exceptions that a snippet itself raises, and their sentences in plain words."""

import builtins
import re
from collections.abc import Iterable
from difflib import get_close_matches

from compiler_core.errors import sentence_of
from compiler_core.snippet.constrained import suggested
from compiler_core.snippet.own_operations import Lack, lack_of

# Names that are usually imported rather than defined.
_IMPORTS = {
    "torch": "import torch",
    "jax": "import jax",
    "nn": "import torch.nn as nn",
    "F": "import torch.nn.functional as F",
    "jnp": "import jax.numpy as jnp",
    "lax": "from jax import lax",
    "np": "import numpy as np",
    "math": "import math",
}
# torch's messages for a CPU and a GPU, XLA's status, and Python's exception.
_NO_MEMORY = re.compile(
    r"can't allocate memory|out of memory|RESOURCE_EXHAUSTED|MemoryError|there is no memory",
    re.IGNORECASE,
)
# What JAX shows of an array while it traces: `JitTracer(~int32[])`.
_TRACER = re.compile(r"\b\w*Tracer[(<]~?(\w+\[[\w,]*\])[^)>]*[)>]")
_BYTES = re.compile(r"allocat\w+ (\d+) bytes")
LEAKED = "return what a traced function computes instead of keeping it in a variable outside"
STATIC = (
    "make the argument static: jax.jit(..., static_argnames=...); or its class a pytree, as "
    "jax.tree_util.register_dataclass does"
)
# By the exception's class and a part of its message.
_KNOWN: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str, str], ...] = (
    (EOFError, "EOF when reading", "write the value in the snippet: nobody can type it in"),
    (FileNotFoundError, "", "make the tensors in the snippet: a run has no files of yours"),
    (
        OSError,
        "urlopen|Name or service|Temporary failure|getaddrinfo|unreachable|refused|"
        "assign requested address",
        "write in the snippet what it fetches: a run has no network",
    ),
    # Limits of a run, or of whoever runs it: the snippet may be right, and elsewhere go through.
    (
        OSError,
        r"\[Errno 24\]",
        "close files, pipes and sockets that are no longer needed: a process may have so many open",
    ),
    (OSError, r"\[Errno 27\]", "write less into one file: one may be so large"),
    (
        OSError,
        r"\[Errno 28\]",
        "write less, fewer files, or delete what is no longer needed: there is so much room",
    ),
    (
        RuntimeError,
        "can't start new (thread|process)",
        "have fewer threads and processes at a time: a run may have so many",
    ),
    # Of a fork it is a limit, of anything else that it does not wait (EAGAIN).
    (
        BlockingIOError,
        r"\[Errno 11\]",
        "wait until it is ready, or have fewer processes at a time if it was to start one",
    ),
    # EPERM, EACCES, ENODEV, EROFS, ENOSYS, EOPNOTSUPP: what a sandbox keeps from a run
    # (docs/security.md).
    (
        OSError,
        r"\[Errno (1|13|19|30|38|95)\]",
        "leave it out: the system refuses it, as where a run is kept from everything else",
    ),
    # EINVAL and EXDEV: also of what a sandbox answers so, as reading past memory (O_DIRECT).
    (
        OSError,
        r"\[Errno 22\]",
        "write it otherwise: the system takes no such arguments, or not where a run is kept from "
        "everything else",
    ),
    (OSError, r"\[Errno 18\]", "copy it instead: the two folders are of different file systems"),
    # ETOOMANYREFS, by which the kernel counts all runs of a machine together (docs/security.md).
    (
        OSError,
        "Too many references",
        "run it again: other runs hold as many files in unread messages as all runs together may",
    ),
    (
        (ValueError, RuntimeError),
        "env:// rendezvous|[Dd]efault process group has not been initialized",
        "leave out torch.distributed, which needs a process for each device: a run is one process; "
        "a mesh of JAX's devices can be had",
    ),
    (
        TypeError,
        r"\(\) (missing \d+ required|takes .* but \d+ (was|were) given|got an unexpected keyword)",
        "give it the arguments that it takes, in number and by name",
    ),
    (NotImplementedError, 'missing the required "forward"', "give the module a method forward"),
    (AttributeError, r"before Module.__init__\(\)", "call super().__init__() before anything else"),
    (
        Exception,
        "^UnexpectedTracerError",
        LEAKED,
    ),
    (
        TypeError,
        "^TypeError: Shapes must be 1D sequences of concrete values",
        "make the argument that the size comes from static: jax.jit(..., static_argnames=...)",
    ),
    (TypeError, "^TypeError: Error interpreting argument to .* as an abstract array", STATIC),
    (RecursionError, "", "give the recursion an end"),
    (
        Exception,
        "^ShardingTypeError",
        "say how the result is divided (out_sharding=...), or leave that to XLA: make the mesh "
        "with axis_types=(jax.sharding.AxisType.Auto, ...), one for each axis",
    ),
)


def no_memory(message: str) -> bool:
    """Whether an exception says that there is too little memory."""
    return _NO_MEMORY.search(message) is not None


def words_of(error: BaseException) -> str:
    """The exception's type and message, without the allocator's details; in plain words what is
    about an operation of the snippet's own."""
    if lack := _lack(error):
        return lack.why
    message = _TRACER.sub(r"a traced \1", sentence_of(error))
    asked = _BYTES.search(message)
    if asked is None or not no_memory(message):
        return message
    return f"{type(error).__name__}: there is no memory for {int(asked[1]) / 1e9:,.1f} GB at once"


def remedy_of(error: BaseException) -> str:
    """The remedy for an exception; "" if none is known."""
    if lack := _lack(error):
        return lack.remedy
    message = sentence_of(error)
    for kinds, words, remedy in _KNOWN:
        if isinstance(error, kinds) and re.search(words, message):
            return remedy
    if isinstance(error, NameError | AttributeError):
        return _by_name(error)
    return suggested(str(error)) if "Constraints violated" in message else ""


def _lack(error: BaseException) -> Lack | None:
    """What an operation of the snippet's own lacks, if torch raised `error` for that."""
    return lack_of(str(error)) if isinstance(error, RuntimeError) else None


def _by_name(error: NameError | AttributeError) -> str:
    """What a name may have been meant to be."""
    name = str(error.name or "")
    if isinstance(error, NameError) and name in _IMPORTS:
        return f"add {_IMPORTS[name]}"
    known = _of_scope(error) if isinstance(error, NameError) else _of_object(error)
    near = get_close_matches(name, [x for x in known if not x.startswith("_")], 1)
    return f"did you mean {near[0]}?" if near else ""


def _of_scope(error: NameError) -> Iterable[str]:
    """The names that are known where the exception was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    frame = trace.tb_frame if trace is not None else None
    return () if frame is None else {**vars(builtins), **frame.f_globals, **frame.f_locals}


def _of_object(error: AttributeError) -> Iterable[str]:
    try:
        return dir(error.obj)
    except Exception:  # a snippet's own __dir__ may do anything
        return ()
