"""Element types and arrays between numpy, torch and JAX."""
