"""Special functions as formulas over the IR's operations, for both front ends. Both compute them
in at least f32."""
