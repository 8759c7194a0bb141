"""What is read of PTX, on lines as Triton prints them."""

from bench.machine_code import Kernel, blocks
from bench.ptx import read
from compiler_core.report import Resources

TEXT = """
\tld.global.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ];
\tld.global.L1::evict_last.b32 { %r5 }, [ %rd2 + 0 ];
\trem.s32 \t%r6, %r5, 7;
\tcp.async.cg.shared.global [ %r7 + 0 ], [ %rd3 + 0 ], 0x10, %r8;
$L__BB0_1:
\tdiv.s32 \t%r9, %r6, 3;
\tmma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 { %r1 }, { %r2 }, { %r3 }, { %r4 };
\t@%p1 bra \t$L__BB0_1;
\tst.global.v2.b64 [ %rd4 + 0 ], { %rd5, %rd6 };
\tdiv.rn.f32 \t%r1, %r2, %r3;
"""


def test_accesses_are_counted_by_their_bytes():
    assert read(TEXT).accesses == {16: 3, 4: 1}
    assert read(TEXT).wide == 0.75
    assert read("ret;").wide is None


def test_divisions_count_where_they_are_repeated():
    assert read(TEXT).divisions == 1
    assert read(TEXT.replace("@%p1 bra \t$L__BB0_1;", "@%p1 bra \t$L__BB0_2;")).divisions == 0


def test_instructions_that_multiply_matrices_are_named():
    assert read(TEXT).matrix == ("mma",)
    assert read("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16").matrix == (
        "wgmma.mma_async",
    )


def test_a_multiprocessor_holds_as_many_blocks_as_its_scarcest_resource_allows():
    few = Resources("k", "sm_90", registers=128, shared_bytes=1024, num_warps=4)
    assert blocks(few, "sm_90") == 65536 // (128 * 128)
    large = Resources("k", "sm_90", registers=16, shared_bytes=200 * 1024, num_warps=4)
    assert blocks(large, "sm_90") == 1


def kernel(**facts) -> Kernel:
    plain = {
        "program": "p", "target": "sm_90", "kernel": "k", "strategy": "matmul", "dtype": "bf16",
        "wide": 1.0, "accesses": {16: 1}, "registers": 32, "spills": 0, "shared_bytes": 0,
        "blocks": 4, "matrix": ("wgmma.mma_async",), "divisions": 0,
    }  # fmt: skip
    return Kernel(**{**plain, **facts})


def test_what_no_kernel_should_be_is_a_fault():
    assert kernel().faults == kernel(dtype="f32", matrix=()).faults == []
    assert kernel(matrix=()).faults == ["multiplies without matrix instructions"]
    assert kernel(spills=8, divisions=2, blocks=0).faults == [
        "spills 8 bytes a thread",
        "does not fit into a multiprocessor",
        "divides integers in a loop, 2 times",
    ]
