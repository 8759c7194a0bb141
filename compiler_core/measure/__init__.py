"""Numerics against float64, interleaved timings, traffic and roofline; docs/measuring.md is the
protocol in words."""
