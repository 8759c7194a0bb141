"""What programs move and compute: memory traffic, arithmetic, roofline."""
