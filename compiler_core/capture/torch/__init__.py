"""PyTorch's front door: a trace of ATen calls, and a table of rules by family."""
