"""ATen calls with complex tensors: the table of their rules, over pairs of real values."""
