"""TensorFlow, where it is the front door: what it gave XLA, and its own result beside."""
