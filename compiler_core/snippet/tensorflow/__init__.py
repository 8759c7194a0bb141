"""A snippet that imports TensorFlow: TensorFlow itself runs it, in an environment of its own, and
its `tf.function(jit_compile=True)` come in as the StableHLO that TensorFlow gives XLA."""
