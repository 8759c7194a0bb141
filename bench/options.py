"""What every bench of compilers is asked for alike."""

import argparse

from compiler_core import report


def add_options(parser: argparse.ArgumentParser) -> None:
    """`--compilers` and `--no-measure`."""
    known = ",".join(c.id for c in report.CHOICES)
    usual = ",".join(c.id for c in report.CHOICES if not c.install and not report.mode_of(c.id))
    parser.add_argument("--compilers", type=compilers_named, default=usual, help=f"of {known}")
    parser.add_argument("--no-measure", dest="measure", action="store_false", help="check only")


def compilers_named(text: str) -> list[str]:
    """Those of a list with commas. Raises ArgumentTypeError for one that there is not."""
    names = text.split(",")
    unknown = sorted(set(names) - {c.id for c in report.CHOICES})
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no compiler {unknown[0]}")
    return names
