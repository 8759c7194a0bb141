"""A module's text as it is shown."""

from compiler_core import report
from compiler_core.reference.result import artifact
from compiler_core.reference.xla import hlo
from compiler_core.reference.xla.places import Places


def shown(name: str, module: hlo.Module, places: Places) -> report.Artifact:
    """A module's text without tables and metadata, and its line map."""
    return artifact(name, "text", module.text, places.of(module).by_line(), kind="hlo")
