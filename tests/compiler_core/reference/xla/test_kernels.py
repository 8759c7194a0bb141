"""The code of kernels: LLVM IR out of files, assembly out of objdump's text."""

import shutil

import pytest

from compiler_core.reference.xla import hlo, kernels
from compiler_core.reference.xla.places import Places
from compiler_core.reference.xla.thunks import Thunk
from tests.compiler_core.reference.xla.samples import NAMES, NODES, VERSIONS, sample

IR = b"""define internal void @helper(ptr %0) {
define noalias ptr @sine_k(ptr %0) {
  ret ptr null
}
"""
OBJDUMP = """
obj-file.sine_k_kernel_module.o:     file format elf64-x86-64


Disassembly of section .ltext:

0000000000000000 <sine_k>:
   0:\tret

obj-file.other.o:     file format elf64-x86-64

0000000000000000 <other>:
   0:\tnop
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_a_kernel_leads_to_all_instructions_that_run_it(version: str) -> None:
    places = Places("jax", NODES).of(hlo.parse(sample(version, "cpu_after_optimizations.txt")))
    files = {"sine_k_kernel_module.ir-no-opt.ll": IR, "sine_k_kernel_module.ir-with-opt.ll": IR}
    run = [Thunk("kernel", "maximum_sine_fusion", "sine_k")]
    parent, stage = kernels.stages(files, run, places)
    assert (stage.name, stage.parent, stage.summary) == ("sine_k", parent.name, "sine_k")
    assert parent.summary == "1 LLVM module, no assembly: XLA has written no machine code"
    before, _ = stage.artifacts
    assert before.kernel == "sine_k"
    assert [[NAMES[n] for n in ids] for ids in before.nodes] == [[], ["add", "max", "sin"], [], []]


def test_objdumps_text_is_divided_by_module() -> None:
    assert kernels.by_module(OBJDUMP) == {
        "sine_k_kernel_module": "0000000000000000 <sine_k>:\n   0:\tret\n",
        "other": "0000000000000000 <other>:\n   0:\tnop\n",
    }


def test_without_objdump_it_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert kernels.disassembled({"obj-file.k.o": b""}) == (
        {},
        "no assembly: install binutils, whose objdump takes machine code apart",
    )


@pytest.mark.cpu
def test_what_is_no_object_file_has_no_assembly() -> None:
    assert kernels.disassembled({"obj-file.k.o": b"nothing"})[0] == {}
