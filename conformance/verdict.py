"""What became of a sample."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["native", "library", "refused", "fault", "wrong", "invalid"]


@dataclass(frozen=True)
class Verdict:
    """native    every launch is generated code, or the vendor's product or convolution by choice
    library   agrees, with library calls; `reason` names them
    refused   the core says why it does not take the program
    fault     an exception of ours, a crash or no end; `reason` says which and where
    wrong     other numbers, shapes or types than the framework's; `reason` has the figure
    invalid   the framework itself does not run the sample: it does not count
    """

    kind: Kind
    reason: str = ""
