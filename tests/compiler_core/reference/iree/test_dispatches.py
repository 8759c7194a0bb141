"""What a dispatch computes, where equal operations of several have become one."""

from compiler_core.reference.iree import dispatches, mlir

# `x @ w`, and in another dispatch `relu(x @ v)`, whose product begins from the other's zeros.
TWO = """\
    %3 = flow.dispatch.workgroups(%0) : (tensor<8xf32>) -> tensor<8xf32> =
      %9 = linalg.fill ins(%c : f32) outs(%8 : tensor<8xf32>) -> tensor<8xf32> loc("ops:0")
      %10 = linalg.matmul ins(%7 : tensor<8xf32>) outs(%9 : tensor<8xf32>) loc("ops:0")
    }
    %4 = flow.dispatch.workgroups(%3) : (tensor<8xf32>) -> tensor<8xf32> =
      %9 = linalg.fill ins(%c : f32) outs(%8 : tensor<8xf32>) -> tensor<8xf32> loc("ops:0")
      %10 = linalg.matmul ins(%7 : tensor<8xf32>) outs(%9 : tensor<8xf32>) loc("ops:1")
      %11 = arith.maximumf %10, %c : f32 loc("ops:2")
    }
    %5 = flow.dispatch.workgroups(%4) : (tensor<8xf32>) -> tensor<8xf32> =
      %9 = linalg.fill ins(%c : f32) outs(%8 : tensor<8xf32>) -> tensor<8xf32> loc("ops:3")
    }
"""


def test_what_a_product_begins_from_is_of_no_other_operation() -> None:
    text = mlir.read(TWO)
    first, second, third = dispatches.regions(text, text)
    assert (first.nodes, second.nodes) == ((0,), (1, 2))
    assert third.nodes == (3,)  # there is nothing else in it
