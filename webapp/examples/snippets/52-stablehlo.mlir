// A program as StableHLO: a biased ReLU

module @biased {
  func.func public @main(%x: tensor<128x256xf32>, %b: tensor<256xf32>) -> tensor<128x256xf32> {
    %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<256xf32>) -> tensor<128x256xf32>
    %1 = stablehlo.add %x, %0 : tensor<128x256xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
    %3 = stablehlo.maximum %1, %2 : tensor<128x256xf32>
    return %3 : tensor<128x256xf32>
  }
}
