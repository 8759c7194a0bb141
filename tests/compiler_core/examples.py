"""Which examples of the gallery `make test` takes whole, or captures alone."""

# Those that go no way through the pipeline but that of other examples, or of the tests named:
# `make test SWEEP=1` takes these whole, and captures the others apart.
SWEPT = {
    "02-elementwise-chain": "01-bias-gelu",
    "04-norm-linear-gelu-residual": "05-mlp-module",
    "06-rmsnorm-residual": "03-softmax-rows",
    "07-jax-linear-relu": "09-jax-attention-head",
    "08-jax-gelu-exact-tanh": "01-bias-gelu, 10-jax-layer-norm",
    "11-jax-mlp-pytree": "05-mlp-module, 09-jax-attention-head",
    "12-jax-grad-mse": "49-jax-pure, pipeline/test_sizes.py",
    "14-training-step": "33-forward-and-backward, pipeline/test_training_steps.py",
    "15-jax-scan-rnn": "16-jax-while-cond, pipeline/test_control.py",
    "19-jax-embedding-gradient": "17-embedding-cross-entropy, pipeline/test_sizes.py",
    "20-running-values": "pipeline/test_combined_programs.py",
    "21-long-rows": "03-softmax-rows, pipeline/test_precision.py",
    "24-top-k-sampling": "pipeline/test_sorting_programs.py",
    "25-jax-data-parallel": "26-jax-shard-map",
    "37-common-subexpressions": "29-loop-over-steps",
    "50-jax-sgd-step": "49-jax-pure, pipeline/test_sizes.py",
}
