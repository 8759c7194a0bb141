"""A JAX program on a mesh of devices: who holds what, how it is partitioned, what is sent."""
