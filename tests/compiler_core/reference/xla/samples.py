"""What XLA wrote of one program, a folder for each version of jaxlib."""

from pathlib import Path

from compiler_core.report import CapturedOp

_FOLDER = Path(__file__).with_name("samples")
VERSIONS = sorted(path.name for path in _FOLDER.iterdir())

# As the program of the samples is captured, with the columns of its text (from 1).
NODES = (
    CapturedOp(0, "broadcast_in_dim", 4, 21),
    CapturedOp(1, "add", 4, 21),
    CapturedOp(2, "max", 4, 9),
    CapturedOp(3, "transpose", 5, 17),
    CapturedOp(4, "sin", 5, 9),
    CapturedOp(5, "dot_general", 5, 9),
    CapturedOp(6, "reduce_sum", 6, 16),
    CapturedOp(7, "broadcast_in_dim", 6, 12),
    CapturedOp(8, "div", 6, 12),
    CapturedOp(9, "transpose", 6, 27),
)
NAMES = {op.id: op.op for op in NODES}


def sample(version: str, name: str) -> str:
    """The text of a file; "" of one that the version does not write."""
    file = _FOLDER / version / name
    return file.read_text() if file.is_file() else ""
