#executable_target_embedded_elf_x86_64 = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu = "generic", cpu_features = "+avx2,+fma", data_layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128", iree.encoding.resolver = #iree_cpu.cpu_encoding_resolver<>, max_stack_allocation_size = 32768 : i64, native_vector_size = 64 : i64, target_triple = "x86_64-unknown-unknown-eabi-elf"}>
#loc = loc(unknown)
#loc1 = loc("ops:0")
#loc2 = loc("ops:2")
#loc4 = loc("ops:3")
#loc5 = loc("ops:4")
#loc6 = loc("ops:5")
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d1, d0)>
#device_target_local = #hal.device.target<"local", [#executable_target_embedded_elf_x86_64]> : !hal.device
module @jit_f attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #device_target_local loc(#loc)
  flow.executable private @main_dispatch_0 {
    flow.executable.export public @main_dispatch_0_matmul_8x4x16_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice() loc(#loc1)
      flow.return %x, %y, %z : index, index, index loc(#loc1)
    } loc(#loc1)
    builtin.module {
      func.func @main_dispatch_0_matmul_8x4x16_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x16xf32>> loc(unknown), %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<16x4xf32>> loc(unknown), %arg2: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4xf32>> loc(unknown), %arg3: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x4xf32>> loc("ops:0")) {
        %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [8, 16], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x16xf32>> -> tensor<8x16xf32> loc(#loc1)
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [16, 4], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<16x4xf32>> -> tensor<16x4xf32> loc(#loc1)
        %2 = iree_tensor_ext.dispatch.tensor.load %arg2, offsets = [0], sizes = [4], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4xf32>> -> tensor<4xf32> loc(#loc1)
        %3 = tensor.empty() : tensor<8x4xf32> loc(#loc1)
        %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<8x4xf32>) -> tensor<8x4xf32> loc(#loc1)
        %5 = linalg.matmul ins(%0, %1 : tensor<8x16xf32>, tensor<16x4xf32>) outs(%4 : tensor<8x4xf32>) -> tensor<8x4xf32> loc(#loc1)
        %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %2 : tensor<8x4xf32>, tensor<4xf32>) outs(%3 : tensor<8x4xf32>) {
        ^bb0(%in: f32 loc("ops:0"), %in_0: f32 loc(unknown), %out: f32 loc("ops:0")):
          %7 = arith.addf %in, %in_0 : f32 loc(#loc3)
          %8 = arith.maximumf %7, %cst : f32 loc(#loc2)
          linalg.yield %8 : f32 loc(#loc2)
        } -> tensor<8x4xf32> loc(#loc2)
        iree_tensor_ext.dispatch.tensor.store %6, %arg3, offsets = [0, 0], sizes = [8, 4], strides = [1, 1] : tensor<8x4xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x4xf32>> loc(#loc1)
        return loc(#loc1)
      } loc(#loc1)
    } loc(#loc1)
  } loc(#loc1)
  flow.executable private @main_dispatch_1 {
    flow.executable.export public @main_dispatch_1_reduction_8x4_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice() loc(#loc4)
      flow.return %x, %y, %z : index, index, index loc(#loc4)
    } loc(#loc4)
    builtin.module {
      func.func @main_dispatch_1_reduction_8x4_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x4xf32>> loc("ops:0"), %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x4xf32>> loc("ops:3")) {
        %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
        %cst_0 = arith.constant 4.000000e+00 : f32 loc(#loc4)
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [8, 4], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x4xf32>> -> tensor<8x4xf32> loc(#loc4)
        %1 = tensor.empty() : tensor<8x4xf32> loc(#loc1)
        %2 = tensor.empty() : tensor<8xf32> loc(#loc4)
        %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<8xf32>) -> tensor<8xf32> loc(#loc4)
        %4 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<8x4xf32>) outs(%3 : tensor<8xf32>) {
        ^bb0(%in: f32 loc("ops:3"), %out: f32 loc("ops:3")):
          %6 = arith.addf %out, %in : f32 loc(#loc4)
          linalg.yield %6 : f32 loc(#loc4)
        } -> tensor<8xf32> loc(#loc4)
        %5 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%0, %4 : tensor<8x4xf32>, tensor<8xf32>) outs(%1 : tensor<8x4xf32>) {
        ^bb0(%in: f32 loc("ops:2"), %in_1: f32 loc("ops:3"), %out: f32 loc("ops:4")):
          %6 = arith.divf %in_1, %cst_0 : f32 loc(#loc4)
          %7 = arith.subf %in, %6 : f32 loc(#loc5)
          linalg.yield %7 : f32 loc(#loc5)
        } -> tensor<8x4xf32> loc(#loc5)
        iree_tensor_ext.dispatch.tensor.store %5, %arg1, offsets = [0, 0], sizes = [8, 4], strides = [1, 1] : tensor<8x4xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x4xf32>> loc(#loc4)
        return loc(#loc4)
      } loc(#loc4)
    } loc(#loc4)
  } loc(#loc4)
  flow.executable private @main_dispatch_2 {
    flow.executable.export public @main_dispatch_2_reduction_4x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice() loc(#loc6)
      flow.return %x, %y, %z : index, index, index loc(#loc6)
    } loc(#loc6)
    builtin.module {
      func.func @main_dispatch_2_reduction_4x8_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x4xf32>> loc("ops:0"), %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4xf32>> loc("ops:5")) {
        %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [8, 4], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x4xf32>> -> tensor<8x4xf32> loc(#loc6)
        %1 = tensor.empty() : tensor<4xf32> loc(#loc6)
        %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<4xf32>) -> tensor<4xf32> loc(#loc6)
        %3 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<8x4xf32>) outs(%2 : tensor<4xf32>) {
        ^bb0(%in: f32 loc("ops:5"), %out: f32 loc("ops:5")):
          %4 = arith.addf %out, %in : f32 loc(#loc6)
          linalg.yield %4 : f32 loc(#loc6)
        } -> tensor<4xf32> loc(#loc6)
        iree_tensor_ext.dispatch.tensor.store %3, %arg1, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4xf32>> loc(#loc6)
        return loc(#loc6)
      } loc(#loc6)
    } loc(#loc6)
  } loc(#loc6)
  util.func public @main(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @main(%input0: tensor<8x16xf32>, %input1: tensor<16x4xf32>, %input2: tensor<4xf32>) -> (%output0: tensor<8x4xf32>, %output1: tensor<4xf32>)"}} {
    %0 = hal.tensor.import %arg0 "input0" : !hal.buffer_view -> tensor<8x16xf32> loc(#loc)
    %1 = hal.tensor.import %arg1 "input1" : !hal.buffer_view -> tensor<16x4xf32> loc(#loc)
    %2 = hal.tensor.import %arg2 "input2" : !hal.buffer_view -> tensor<4xf32> loc(#loc)
    %3 = flow.dispatch @main_dispatch_0::@main_dispatch_0_matmul_8x4x16_f32(%0, %1, %2) : (tensor<8x16xf32>, tensor<16x4xf32>, tensor<4xf32>) -> tensor<8x4xf32> loc(#loc1)
    %4 = flow.dispatch @main_dispatch_1::@main_dispatch_1_reduction_8x4_f32(%3) : (tensor<8x4xf32>) -> tensor<8x4xf32> loc(#loc4)
    %5 = flow.dispatch @main_dispatch_2::@main_dispatch_2_reduction_4x8_f32(%3) : (tensor<8x4xf32>) -> tensor<4xf32> loc(#loc6)
    %6 = hal.tensor.export %4 "output0" : tensor<8x4xf32> -> !hal.buffer_view loc(#loc)
    %7 = hal.tensor.export %5 "output1" : tensor<4xf32> -> !hal.buffer_view loc(#loc)
    util.return %6, %7 : !hal.buffer_view, !hal.buffer_view loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc3 = loc("ops:1")
