"""Several kernels are disassembled by one call, to what each of them is by itself."""

import pytest

from compiler_core.codegen.triton import offline, together
from compiler_core.errors import ToolchainError
from tests.compiler_core.codegen.triton import kernels
from tests.compiler_core.codegen.triton.test_offline import printed

pytestmark = pytest.mark.cpu


@pytest.fixture(scope="module")
def compiled():
    """Two of them in shared memory or by inlined functions; the first is there once more."""
    gelu = kernels.bias_gelu(64, 128)
    some = gelu, kernels.softmax(64, 300), kernels.softmax(4, 8192), gelu
    return [offline.compile_offline(printed(kernel), "sm_90") for kernel in some]


@pytest.fixture(scope="module")
def alone(compiled):
    return [each.sass() for each in compiled]


@pytest.fixture(autouse=True)
def calls(monkeypatch, alone):
    """What nvdisasm is called with."""
    together.sass.cache_clear()
    found, real = [], together.disassembled
    monkeypatch.setattr(together, "disassembled", lambda x: found.append(x) or real(x))
    return found


def sass(compiled):
    kinds, sources = zip(*offline.disassembled(compiled), strict=True)
    assert set(kinds) == {"sass"}
    return [*sources]


def test_all_are_one_call_and_what_they_are_by_themselves(compiled, alone, calls):
    assert sass(compiled) == alone
    assert len(calls) == 1
    assert sass(compiled) == alone
    assert len(calls) == 1


def test_one_that_is_another_together_is_disassembled_by_itself(
    compiled, alone, calls, monkeypatch
):
    real = together.machine_code

    def other(cubin):
        return {name: code for name, code in real(cubin).items() if name != "kernel_1_entry"}

    monkeypatch.setattr(together, "machine_code", other)
    assert sass(compiled) == alone
    assert calls[1:] == [compiled[1].binary]


def test_where_they_cannot_be_assembled_together_each_is_by_itself(
    compiled, alone, calls, monkeypatch
):
    def refused(*_):
        raise ToolchainError("ptxas: no")

    monkeypatch.setattr(together, "ptxas", refused)
    assert sass(compiled) == alone
    assert {*calls} == {each.binary for each in compiled}


def test_machine_code_is_found_by_the_function_s_name(compiled):
    code = together.machine_code(compiled[0].binary)
    assert [*code] == [together.ENTRY] and len(code[together.ENTRY]) % 16 == 0


def test_kernels_of_amd_are_shown_as_assembly_already():
    kernel = offline.compile_offline(printed(kernels.bias_gelu(64, 128), "gfx942"), "gfx942")
    assert offline.disassembled([kernel]) == [None]


def test_what_several_kernels_declare_is_declared_once():
    head = ".version 8.7\n.target sm_90a\n.address_size 64\n"
    string = ".global .align 1 .b8 _$_str[2] = {70, 0};\n"
    whole = together._one_text([head + string, head + string])
    assert whole.startswith(head + string) and whole.count("_$_str") == 1
