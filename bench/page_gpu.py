"""What has run on a GPU, as lines of the performance page."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

_RIGHT = "right"


def of_gpu(recorded: dict[str, Any]) -> Iterator[str]:
    """Of a record of programs that were run and checked on a GPU, what was right and what was not,
    and the machine's own figures."""
    device, versions = recorded["device"], recorded["toolchain"]
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    yield f"{recorded['date']}, {device['name']}; {named}."
    yield ""
    yield recorded["about"]
    yield ""
    yield from _verdicts(recorded["programs"])
    yield ""
    launches = recorded["strategies"]
    counted = ", ".join(f"{name} {count}" for name, count in launches.items())
    yield f"{sum(launches.values())} launches ran, by strategy: {counted}."
    yield ""
    yield from _costs(recorded)


def _verdicts(programs: list[dict[str, str]]) -> Iterator[str]:
    found = Counter(each["verdict"] for each in programs)
    yield f"Of {len(programs)} programs {found[_RIGHT]} were right. The others:"
    yield ""
    yield "| program | what was seen |"
    yield "| --- | --- |"
    for each in programs:
        if each["verdict"] != _RIGHT:
            name = each["snippet"].rpartition("/")[2]
            yield f"| {name} | {each.get('problem') or each['verdict']} |"


def _costs(recorded: dict[str, Any]) -> Iterator[str]:
    us, gelu = recorded["host_us"], recorded["gelu_bias"]
    yield "Microseconds of the host: " + ", ".join(f"{n} {t}" for n, t in us.items()) + "."
    yield ""
    times = ", ".join(f"{n} {' and '.join(map(str, each))}" for n, each in gelu["us"].items())
    yield f"Microseconds of {gelu['program']}: {times}. They are the host's: 32 MiB take the GPU 8."
