"""What an agent is told of a program counts launches and kernels, each by its name."""

from typing import Any

import msgspec

from agents import parts
from compiler_core.report import Kernel, Program, Summary


def launch(name: str, backend: str = "cpu", *, same_as: str = "", library: str | None = None):
    return Kernel(name, "row", library, ["add"], 8, 8, [4], [0], backend=backend, same_as=same_as)


def program_of(*launches: Kernel) -> dict[str, Any]:
    counts = Summary(
        launches_eager=9, launches_core=sum(each.backend == "cpu" for each in launches)
    )
    program = Program("f", "torch", backend="cpu", summary=counts, kernels=list(launches))
    return msgspec.to_builtins(program)


def test_equal_launches_are_of_one_kernel_and_a_librarys_are_not_ours() -> None:
    program = program_of(
        launch("k0"),
        launch("k1", library="mkl"),
        launch("k2", same_as="k0"),
        launch("k0", "gpu"),
    )
    summary = parts.summary(program)
    assert (summary["launches"], summary["kernels"]) == ({"eager": 9, "core": 3}, 1)


def test_a_launch_says_whose_kernel_it_has() -> None:
    found = parts.kernels(program_of(launch("k0"), launch("k1", same_as="k0")))
    assert [each["same_as"] for each in found["launches"]] == ["", "k0"]
