"""Numerical errors against float64, interleaved timings and the floor of memory bandwidth. The
protocol is described in docs/measuring.md."""
