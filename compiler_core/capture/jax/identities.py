"""Primitives that give the value that they are given."""

# What says on which devices a value is, or is to be.
PLACING = ("sharding_constraint", "reshard", "mesh_cast", "device_put")
IDENTITIES = ("copy", "copy_p", "stop_gradient", "name", "optimization_barrier", *PLACING)
