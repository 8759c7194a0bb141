"""Random faults over a stream of runs: __main__.py says how."""
