"""Graph to graph, one idea a file. PASSES in order.py is their order."""
