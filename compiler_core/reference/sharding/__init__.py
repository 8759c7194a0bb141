"""A JAX program on a mesh of devices: the sharding of its arrays, its partitioned module, and the
collectives in it."""
