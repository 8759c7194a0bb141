"""Special functions as formulas over the IR's operations, for both front ends; computed in at least
f32."""
