"""The pipeline from a snippet to its report: `explore` runs it, `warm` prepares a process for being
forked."""

from compiler_core.pipeline.order import explore
from compiler_core.pipeline.warm_up import warm

__all__ = ["explore", "warm"]
