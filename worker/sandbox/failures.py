"""The failure in the report of a run that was ended from outside."""

import re
import signal

from compiler_core.report import Failure, SnippetFailed
from worker.sandbox.inside.runner import INTERNAL_ERROR, UNHEARD
from worker.sandbox.limits import MIB, Limits, cpus

_SIGNALS = {
    signal.SIGSEGV: "a segmentation fault: native code used memory that it does not have",
    signal.SIGABRT: "an abort: native code gave up",
    signal.SIGFPE: "an arithmetic fault, such as an integer division by zero, in native code",
    signal.SIGILL: "an instruction that this processor does not have",
    signal.SIGBUS: "a bus error: native code used memory that is not there",
    signal.SIGKILL: "a kill by itself, or by whoever runs the machine",
    signal.SIGXFSZ: "a file that grew over its limit of {file} MiB",
    signal.SIGSYS: "a system call that the sandbox does not allow",
}
_SMALLER = "Make the inputs smaller, or run less in one snippet."

# What ended a run: (stage, sentence, remedy); figures of the limits are filled in.
_SENTENCES = {
    "deadline": (
        "deadline",
        "The run was stopped at its deadline of {limits.deadline_s:g} s{doing}.",
        "{late_remedy}",
    ),
    "starved": (
        "deadline",
        "The run was stopped at its deadline of {limits.deadline_s:g} s{doing}: for {detail} s of "
        "them it waited for a processor, which others had.",
        "Run it again when the machine has less to do.",
    ),
    "crowded": (
        "deadline",
        "The run was stopped at its deadline of {limits.deadline_s:g} s{doing}: {detail} of its "
        "own threads computed at once, and shared {cpus} processors.",
        "Start fewer processes and threads.",
    ),
    "behind": (
        "deadline",
        "The run was stopped at its deadline of {limits.deadline_s:g} s{doing}: for {detail} s of "
        "them, and {limits.deadline_s:g} s before, it stood still or waited for its turn, because "
        "others measured.",
        "Run it again when fewer runs measure.",
    ),
    "cpu": (
        "cpu",
        "The run used more than its {limits.cpu_s} s of processor time{doing}.",
        _SMALLER,
    ),
    "memory": ("memory", "The run used more than its {memory} MiB of memory{doing}.", _SMALLER),
    "machine": (
        "memory",
        "The run's process was ended by the machine, which has no memory left{doing}.",
        "Run it again; if that happens once more, make the inputs smaller.",
    ),
    "unheard": (
        "sandbox",
        "The run's process closed the connection over which it reports{doing}.",
        "Leave the file descriptors that the snippet did not open alone.",
    ),
    "processes": (
        "processes",
        "The run started more than its {limits.processes} processes{doing}.",
        "Start fewer processes: a snippet needs none of its own.",
    ),
    "files": (
        "files",
        "The run had more than its {limits.all_files:,} files open or locked in all of its "
        "processes{doing}.",
        "Close files, pipes and sockets that are not needed, or start fewer processes.",
    ),
    "restless": (
        "sandbox",
        "The run was stopped because its processes went on while they had to stand still{doing}.",
        "Leave it to the service when processes stop and go on.",
    ),
    "signal": ("crash", "The run's process was ended by {signal}{doing}.", "{crash_remedy}"),
    "exit": (
        "crash",
        "The run's process ended itself with exit code {code}{doing}.",
        "Remove calls such as os._exit() from the snippet.",
    ),
    "internal": (
        "compiler",
        "The compiler itself failed on this snippet; the output has the traceback.",
        "Please report it with the snippet; simplifying the snippet may get round it.",
    ),
    "protocol": (
        "sandbox",
        "The run was stopped because its process sent {detail}.",
        "Leave the file descriptors that the snippet did not open alone.",
    ),
    "output": (
        "output",
        "The run was stopped because it sent too much: {detail}.",
        "Print less, or run fewer programs in one snippet.",
    ),
    "lost": (
        "sandbox",
        "The run was cut off because the sandbox that it ran in ended.",
        "Run it again.",
    ),
    "worker": (
        "worker",
        "The run was given up because of an error in the worker, whose log has the traceback.",
        "Run it again.",
    ),
    "not_begun": (
        "sandbox",
        "The run could not be started: {detail}.",
        "Run it again in a moment; if it stays so, whoever runs this service should read the "
        "worker's log.",
    ),
}
# What the runner's own exit codes mean.
_EXITS = {INTERNAL_ERROR: "internal", UNHEARD: "unheard"}
# What does not wait says the same as a fork beyond the limit: the snippet's line tells which.
_EAGAIN = "[Errno 11] Resource temp"
_RAISED = re.compile(r"^(?:[\w.]{1,80}: ){1,4}")
_FORKS = re.compile(r"fork|spawn|Popen|subprocess|Process|Pool|DataLoader|\.start\(")
# What the system's own exception says where a limit of the run was met, and that limit.
_MET = (
    ("[Errno 24]", "A process of a run may have {limits.open_files:,} files open."),
    ("[Errno 27]", "A file of a run may have {file} MiB."),
    (
        "[Errno 28]",
        "/tmp of a run holds {tmp} MiB, /dev/shm {shared}, and each {limits.files:,} files.",
    ),
    (
        "can't start new thread",
        "A run may have {limits.processes} processes, and {limits.threads} threads in all of them.",
    ),
    (
        _EAGAIN,
        "A run may have {limits.processes} processes, and {limits.threads} threads in all of them.",
    ),
    ("MemoryError", "A run may use {memory} MiB of memory."),
    ("there is no memory for", "A run may use {memory} MiB of memory."),
    ("not enough memory", "A run may use {memory} MiB of memory."),
    ("can't allocate memory", "A run may use {memory} MiB of memory."),
    ("RESOURCE_EXHAUSTED", "A run may use {memory} MiB of memory."),
)
_CRASH_REMEDY = "Remove lines until it stops crashing: the last one removed is the one to report."


def snippet_failed(
    how: str,
    limits: Limits,
    *,
    code: int = 0,
    detail: str = "",
    doing: str = "",
    remedy_of_late: str = "",
) -> SnippetFailed:
    """The event for a run that ended as `how` says (a key of the table of messages), with the exit
    code or signal `code`. `doing` is what was under way, in words, "capture of model";
    `remedy_of_late` what to do where the deadline ended it (late_remedies.py)."""
    if how == "exit":
        how = _EXITS.get(code, how)
    stage, message, remedy = _SENTENCES.get(how, _SENTENCES["lost"])
    fields = {
        "limits": limits,
        "memory": limits.memory_bytes // MIB,
        "cpus": cpus(),
        "signal": _signal(code).format(file=limits.file_bytes // MIB),
        "crash_remedy": _CRASH_REMEDY,
        "late_remedy": remedy_of_late,
        "code": code,
        "doing": f" while busy with {doing}" if doing else "",
        "detail": detail,
    }
    said, remedy = message.format(**fields), remedy.format(**fields)
    return SnippetFailed(Failure(stage, said, remedy=remedy, by_service=True))


def limit_met(message: str, limits: Limits, traceback: str = "") -> str:
    """The sentence about the limit that an exception with this message met, raised in these lines;
    "" if it is of none."""
    said = _RAISED.sub("", message)
    sign, sentence = next((met for met in _MET if _says(met[0], said, message)), ("", ""))
    if sign == _EAGAIN and not _FORKS.search(traceback):
        return ""
    return sentence.format(
        limits=limits,
        memory=limits.memory_bytes // MIB,
        file=limits.file_bytes // MIB,
        tmp=limits.tmp_bytes // MIB,
        shared=limits.shared_bytes // MIB,
    )


def _says(sign: str, said: str, message: str) -> bool:
    """Whether an exception is of this sign: of the system's errors the number comes first, after
    the names of exceptions, and is not quoted by another. Frameworks say theirs anywhere."""
    return said.startswith(sign) if sign.startswith("[Errno") else sign in message


def _signal(number: int) -> str:
    try:
        name = signal.Signals(number)
    except ValueError:
        return f"signal {number}"
    return f"{name.name} ({_SIGNALS.get(name, signal.strsignal(number))})"
