"""Complex numbers as pairs of real values (docs/decisions/0026-complex-numbers.md): what they are
while they are lowered, and the formulas that both front ends compute them by."""
