"""Graph to graph, one idea a file. PASSES in pipeline.py is their order."""
