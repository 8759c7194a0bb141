"""The candidates for each kind of step on a CPU: generated C and libraries, with their costs."""
