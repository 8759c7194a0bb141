"""What programs move and compute: traffic, arithmetic, roofline."""
