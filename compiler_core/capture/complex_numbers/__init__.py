"""Complex numbers as pairs of real values (docs/decisions/0026-complex-numbers.md): how they are
represented during lowering, and the formulas that both front ends use."""
