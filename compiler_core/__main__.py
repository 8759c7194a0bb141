"""The command line: `python -m compiler_core explore FILE ...`, `... compare A.json B.json` and
`... probe`.

Exit 0: every program reached the end with right numbers. 1: some program or the snippet failed, the
report says where. 2: the command line itself is wrong.
"""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, get_args

import msgspec

from compiler_core import environments, report
from compiler_core.errors import FuselabError, NoToolchain
from compiler_core.inputs import InputsError
from compiler_core.inputs import calls as parse_inputs
from compiler_core.report.comparison import comparison
from compiler_core.report.given import report_given
from compiler_core.results import UNWRITTEN, unwritten, write

# The exit status of a shell for a process that SIGINT ended.
_INTERRUPTED = 130
# Everything there is to look into.
_ALL = "all"


class _Parser(argparse.ArgumentParser):
    """Usage errors are one sentence and exit code 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (try --help)\n")


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    top = _Parser(prog="python -m compiler_core", description="The compiler core of Fuselab.")
    commands = top.add_subparsers(dest="command", required=True)
    explore = commands.add_parser(
        "explore", help="compile the programs of a snippet and report every stage"
    )
    _add_options(explore.add_argument)
    compare = commands.add_parser("compare", help="what two reports differ in")
    for name in ("first", "second"):
        compare.add_argument(name, metavar="REPORT", type=Path, help="a report, or the API's run")
    probe = commands.add_parser(
        "probe", help="measure what the cost model of loops has to know of this processor"
    )
    probe.add_argument(
        "--json", type=Path, metavar="PATH",
        help="write the figures into this record, by processor; others in it stay",
    )  # fmt: skip
    return top


def _add_options(add: Callable[..., Any]) -> None:
    """Those of `explore`."""
    add("file", metavar="FILE", help="a Python file, or - for standard input")
    add(
        "--inputs",
        default="",
        metavar="SPECS",
        help='such as "f32[32,512], f32[512]"; "f32[B=32,512]" for a size B that varies',
    )
    add("--seed", type=int, metavar="N",
        help="draw these inputs from this seed, and report what is made of them")  # fmt: skip
    add("--device", choices=get_args(report.DeviceChoice), default="auto",
        help="where programs run and are measured (auto: the GPU if there is one)")  # fmt: skip
    add("--devices", type=_devices, default="auto", metavar="N",
        help=f"devices that the CPU is to JAX, 1 to {report.MAX_DEVICES} "
        "(auto: as many as the snippet's meshes take)")  # fmt: skip
    add("--target", choices=get_args(report.Target), default="auto",
        help="the GPU to compile Triton for (auto: the machine's own, else sm_90; none: no other "
        "than what runs the programs)")  # fmt: skip
    add("--compilers", type=_compilers, default=report.Options().compilers,
        metavar="LIST",
        help="beside eager: " + ", ".join(f"{c.id} ({c.about})" for c in report.CHOICES)
        + " (default: core, and beside a JAX program that is measured xla)")  # fmt: skip
    add("--insides", type=_insides, default=(), metavar="LIST",
        help="what to look into: "
        + ", ".join(f"{i.id} ({i.about})" for i in report.INSIDES)
        + ", or all (default: none)")  # fmt: skip
    add("--try", dest="trials", action="store_true",
        help="try the remedies of what is found: change the snippet, and measure it")  # fmt: skip
    add("--try-first", dest="trials_first", type=_lines, default=(), metavar="LINES",
        help="the lines whose remedies are tried before others, as in 12,20")  # fmt: skip
    add(
        "--toolchain",
        default="",
        metavar="NAME",
        help="run with the versions of this environment (docs/how-to/use-another-toolchain.md)",
    )
    add("--no-measure", action="store_true", help="compile and check, do not time")
    add("--timeline", action="store_true",
        help="profile a few more calls of each compiler: what runs when")  # fmt: skip
    _add_overrides(add)
    add("--json", type=Path, metavar="PATH", help="write the report here (- for standard output)")


def _add_overrides(add: Callable[..., Any]) -> None:
    """What is decided in the compiler's stead: each option any number of times, in one list."""
    own = {"dest": "overrides", "action": "append", "default": []}
    edge = "values by what they come from, as in 3.divide:5.add (docs/what-if.md)"
    add("--without", type=report.WithoutPass, metavar="PASS", help="do not run a pass", **own)
    add("--forbid", type=_forbidden, metavar="FROM:TO",
        help=f"no kernel computes both: {edge}", **own)  # fmt: skip
    add("--force", type=_forced, metavar="FROM:TO",
        help="one kernel computes both, where there is such a kernel", **own)  # fmt: skip
    add("--schedule", type=_schedule, metavar="KERNEL=CANDIDATE",
        help="how a kernel is run: 5.add=rows.2, 5.add=flat:num_warps=8", **own)  # fmt: skip


def _forbidden(text: str) -> report.Override:
    return _said(lambda: report.as_edge(text, report.ForbiddenEdge))


def _forced(text: str) -> report.Override:
    return _said(lambda: report.as_edge(text, report.ForcedEdge))


def _schedule(text: str) -> report.Override:
    return _said(lambda: report.as_schedule(text))


def _said(read: Callable[[], report.Override]) -> report.Override:
    try:
        return read()
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _compilers(text: str) -> str | tuple[str, ...]:
    if text.strip() == "auto":
        return "auto"
    return _listed(text, "a compiler", tuple(c.id for c in report.CHOICES))


def _insides(text: str) -> tuple[str, ...]:
    known = tuple(i.id for i in report.INSIDES)
    return known if text.strip() == _ALL else _listed(text, "something to look into", known)


def _lines(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is no list of lines: give some, as in 12,20")
    return tuple(map(int, parts))


def _devices(text: str) -> str | int:
    known = get_args(report.Devices)
    chosen = int(text) if text.isdecimal() else text
    if chosen not in known:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number of devices: choose from {', '.join(map(str, known))}"
        )
    return chosen


def _listed(text: str, noun: str, known: tuple[str, ...]) -> tuple[str, ...]:
    names = set(filter(None, (part.strip() for part in text.split(","))))
    if unknown := sorted(names.difference(known)):
        raise argparse.ArgumentTypeError(
            f"{unknown[0]!r} is not {noun}: choose from {', '.join(known)}"
        )
    return tuple(name for name in known if name in names)


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit status: 0, 1 where a program failed, 2 for bad
    usage, 130 where it was interrupted."""
    top = parser()
    args = top.parse_args(arguments)
    if args.command == "compare":
        return _compare(top, args.first, args.second)
    if args.command == "probe":
        return _probe(top, args.json)
    if args.toolchain:
        _move_to(top, args.toolchain, sys.argv[1:] if arguments is None else arguments)
    source = _read(top, args.file)
    try:
        parse_inputs(args.inputs) if args.inputs.strip() else ()
    except InputsError as error:
        top.error(str(error))
    if args.json and str(args.json) != "-" and not args.json.parent.is_dir():
        top.error(f"--json {args.json}: there is no directory {args.json.parent}")
    if args.device != "auto":
        _require(top, args.device)
    try:
        return _explore(source, args)
    except KeyboardInterrupt:
        print(f"{top.prog}: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except OSError as error:
        print(f"{top.prog}: {unwritten(args.json, error)}", file=sys.stderr)
        return UNWRITTEN


def _compare(top: argparse.ArgumentParser, *files: Path) -> int:
    first, second = (_report(top, file) for file in files)
    print(comparison(first, second, (files[0].name, files[1].name)))
    return 0


def _probe(top: argparse.ArgumentParser, record: Path | None) -> int:
    from compiler_core.measure.probe import measured, recorded_in

    if record and not record.parent.is_dir():
        top.error(f"--json {record}: there is no directory {record.parent}")
    try:
        figures = measured()
        if record:
            recorded_in(record, figures)
    except FuselabError as error:
        print(f"{top.prog}: {error.sentence}; {error.remedy}", file=sys.stderr)
        return 1
    print(figures)
    return 0


def _report(top: argparse.ArgumentParser, file: Path) -> report.Report:
    try:
        return report_given(file.read_bytes())
    except OSError as error:
        top.error(f"cannot read {file}: {error.strerror}")
    except msgspec.MsgspecError:
        top.error(f"{file} is no report; give what explore --json wrote, or the API of a run")


def _move_to(top: argparse.ArgumentParser, name: str, arguments: list[str]) -> None:
    """Goes on as a process of the toolchain's own Python, if this one is not."""
    try:
        toolchain = environments.find(name)
    except NoToolchain as error:
        top.error(f"--toolchain {name}: {error.sentence}; {error.remedy}")
    if not toolchain.serves_runs:
        has = ", ".join(toolchain.own)
        top.error(f"--toolchain {name}: it has no framework of its own to run with, only {has}")
    if not toolchain.is_this:
        path = os.pathsep.join(filter(None, (str(environments.ROOT), os.getenv("PYTHONPATH"))))
        command = [str(toolchain.python), "-m", "compiler_core", *arguments]
        os.execve(toolchain.python, command, {**os.environ, "PYTHONPATH": path})


def _require(top: argparse.ArgumentParser, device: str) -> None:
    from compiler_core.backends.registry import kind

    try:
        kind(device).describe()
    except FuselabError as error:
        top.error(f"--device {device}: {error.sentence}; {error.remedy}")


def _read(top: argparse.ArgumentParser, name: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        top.error(f"cannot read {name}: {error.strerror}")
    if len(raw) > report.MAX_SOURCE_BYTES:
        top.error(f"{name} has {len(raw)} bytes; a snippet has at most {report.MAX_SOURCE_BYTES}")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        top.error(f"{name} is not UTF-8 text; give a Python source file")


def _explore(source: str, args: argparse.Namespace) -> int:
    from compiler_core.pipeline.order import explore

    options = report.Options(
        inputs=args.inputs,
        seed=args.seed,
        device=args.device,
        devices=args.devices,
        target=args.target,
        compilers=args.compilers,
        measure=not args.no_measure,
        insides=args.insides,
        trials=args.trials or bool(args.trials_first),
        trials_first=args.trials_first,
        toolchain=args.toolchain,
        timeline=args.timeline,
        overrides=tuple(args.overrides),
    )
    result = report.Report()

    def emit(event: report.Event) -> None:
        report.apply(result, event)

    explore(source, options, emit)
    write(result, args.json)
    return 1 if report.failed(result) else 0


if __name__ == "__main__":
    sys.exit(main())
