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
  util.func public @main(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @main(%input0: tensor<8x16xf32>, %input1: tensor<16x4xf32>, %input2: tensor<4xf32>) -> (%output0: tensor<8x4xf32>, %output1: tensor<4xf32>)"}} {
    %0 = hal.tensor.import %arg0 "input0" : !hal.buffer_view -> tensor<8x16xf32> loc(#loc)
    %1 = hal.tensor.import %arg1 "input1" : !hal.buffer_view -> tensor<16x4xf32> loc(#loc)
    %2 = hal.tensor.import %arg2 "input2" : !hal.buffer_view -> tensor<4xf32> loc(#loc)
    %3 = flow.dispatch.workgroups(%0, %1, %2) : (tensor<8x16xf32>, tensor<16x4xf32>, tensor<4xf32>) -> tensor<8x4xf32> =
        (%arg3: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x16xf32>>, %arg4: !iree_tensor_ext.dispatch.tensor<readonly:tensor<16x4xf32>>, %arg5: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4xf32>>, %arg6: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x4xf32>>) {
      %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
      %8 = iree_tensor_ext.dispatch.tensor.load %arg3, offsets = [0, 0], sizes = [8, 16], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x16xf32>> -> tensor<8x16xf32> loc(#loc1)
      %9 = iree_tensor_ext.dispatch.tensor.load %arg4, offsets = [0, 0], sizes = [16, 4], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<16x4xf32>> -> tensor<16x4xf32> loc(#loc1)
      %10 = iree_tensor_ext.dispatch.tensor.load %arg5, offsets = [0], sizes = [4], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4xf32>> -> tensor<4xf32> loc(#loc1)
      %11 = tensor.empty() : tensor<8x4xf32> loc(#loc1)
      %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<8x4xf32>) -> tensor<8x4xf32> loc(#loc1)
      %13 = linalg.matmul ins(%8, %9 : tensor<8x16xf32>, tensor<16x4xf32>) outs(%12 : tensor<8x4xf32>) -> tensor<8x4xf32> loc(#loc1)
      %14 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%13, %10 : tensor<8x4xf32>, tensor<4xf32>) outs(%11 : tensor<8x4xf32>) {
      ^bb0(%in: f32 loc("ops:0"), %in_0: f32 loc(unknown), %out: f32 loc("ops:0")):
        %15 = arith.addf %in, %in_0 : f32 loc(#loc3)
        %16 = arith.maximumf %15, %cst : f32 loc(#loc2)
        linalg.yield %16 : f32 loc(#loc2)
      } -> tensor<8x4xf32> loc(#loc2)
      iree_tensor_ext.dispatch.tensor.store %14, %arg6, offsets = [0, 0], sizes = [8, 4], strides = [1, 1] : tensor<8x4xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x4xf32>> loc(#loc1)
      flow.return loc(#loc1)
    } count() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice() loc(#loc1)
      flow.return %x, %y, %z : index, index, index loc(#loc1)
    } loc(#loc1)
    %4 = flow.dispatch.workgroups(%3) : (tensor<8x4xf32>) -> tensor<8x4xf32> =
        (%arg3: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x4xf32>>, %arg4: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x4xf32>>) {
      %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
      %cst_0 = arith.constant 4.000000e+00 : f32 loc(#loc4)
      %8 = iree_tensor_ext.dispatch.tensor.load %arg3, offsets = [0, 0], sizes = [8, 4], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x4xf32>> -> tensor<8x4xf32> loc(#loc4)
      %9 = tensor.empty() : tensor<8x4xf32> loc(#loc1)
      %10 = tensor.empty() : tensor<8xf32> loc(#loc4)
      %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<8xf32>) -> tensor<8xf32> loc(#loc4)
      %12 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<8x4xf32>) outs(%11 : tensor<8xf32>) {
      ^bb0(%in: f32 loc("ops:3"), %out: f32 loc("ops:3")):
        %14 = arith.addf %out, %in : f32 loc(#loc4)
        linalg.yield %14 : f32 loc(#loc4)
      } -> tensor<8xf32> loc(#loc4)
      %13 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%8, %12 : tensor<8x4xf32>, tensor<8xf32>) outs(%9 : tensor<8x4xf32>) {
      ^bb0(%in: f32 loc("ops:2"), %in_1: f32 loc("ops:3"), %out: f32 loc("ops:4")):
        %14 = arith.divf %in_1, %cst_0 : f32 loc(#loc4)
        %15 = arith.subf %in, %14 : f32 loc(#loc5)
        linalg.yield %15 : f32 loc(#loc5)
      } -> tensor<8x4xf32> loc(#loc5)
      iree_tensor_ext.dispatch.tensor.store %13, %arg4, offsets = [0, 0], sizes = [8, 4], strides = [1, 1] : tensor<8x4xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x4xf32>> loc(#loc4)
      flow.return loc(#loc4)
    } count() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice() loc(#loc4)
      flow.return %x, %y, %z : index, index, index loc(#loc4)
    } loc(#loc4)
    %5 = flow.dispatch.workgroups(%3) : (tensor<8x4xf32>) -> tensor<4xf32> =
        (%arg3: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x4xf32>>, %arg4: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4xf32>>) {
      %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
      %8 = iree_tensor_ext.dispatch.tensor.load %arg3, offsets = [0, 0], sizes = [8, 4], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x4xf32>> -> tensor<8x4xf32> loc(#loc6)
      %9 = tensor.empty() : tensor<4xf32> loc(#loc6)
      %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<4xf32>) -> tensor<4xf32> loc(#loc6)
      %11 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<8x4xf32>) outs(%10 : tensor<4xf32>) {
      ^bb0(%in: f32 loc("ops:5"), %out: f32 loc("ops:5")):
        %12 = arith.addf %out, %in : f32 loc(#loc6)
        linalg.yield %12 : f32 loc(#loc6)
      } -> tensor<4xf32> loc(#loc6)
      iree_tensor_ext.dispatch.tensor.store %11, %arg4, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4xf32>> loc(#loc6)
      flow.return loc(#loc6)
    } count() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice() loc(#loc6)
      flow.return %x, %y, %z : index, index, index loc(#loc6)
    } loc(#loc6)
    %6 = hal.tensor.export %4 "output0" : tensor<8x4xf32> -> !hal.buffer_view loc(#loc)
    %7 = hal.tensor.export %5 "output1" : tensor<4xf32> -> !hal.buffer_view loc(#loc)
    util.return %6, %7 : !hal.buffer_view, !hal.buffer_view loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc3 = loc("ops:1")
