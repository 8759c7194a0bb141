"""What benches are asked for alike."""

import argparse

from bench.subjects import Subject
from bench.suites import SUITES
from compiler_core import report


def add_suite(parser: argparse.ArgumentParser, usual: str) -> None:
    """`--suite` and `--only`, which `subjects_of` reads."""
    parser.add_argument("--suite", choices=sorted(SUITES), default=usual)
    parser.add_argument(
        "--only", default="", help="programs with one of these texts, with commas, in their names"
    )


def subjects_of(args: argparse.Namespace) -> list[Subject]:
    """The programs of the suite that are asked for."""
    texts = args.only.split(",")
    return [s for s in SUITES[args.suite]() if any(text in s.name for text in texts)]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`--compilers`, `--device` and `--no-measure`."""
    known = ",".join(c.id for c in report.CHOICES)
    usual = ",".join(c.id for c in report.CHOICES if not c.install and not report.mode_of(c.id))
    parser.add_argument("--compilers", type=compilers_named, default=usual, help=f"of {known}")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--no-measure", dest="measure", action="store_false", help="check only")


def compilers_named(text: str) -> list[str]:
    """Those of a list with commas. Raises ArgumentTypeError for one that there is not."""
    names = text.split(",")
    unknown = sorted(set(names) - {c.id for c in report.CHOICES})
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no compiler {unknown[0]}")
    return names
