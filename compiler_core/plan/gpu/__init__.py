"""The candidates for each kind of step on a GPU: generated Triton and libraries, with the costs."""
