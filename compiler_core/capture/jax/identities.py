"""Primitives that give the value that they are given."""

# Primitives that only place a value on devices.
PLACING = ("sharding_constraint", "reshard", "mesh_cast", "device_put")
IDENTITIES = ("copy", "copy_p", "stop_gradient", "name", "optimization_barrier", *PLACING)
