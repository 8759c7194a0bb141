"""Numerics, timings, traffic and the roofline."""
