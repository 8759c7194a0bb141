"""PyTorch's front end: a trace of ATen calls, and a table of rules by family of operations."""
