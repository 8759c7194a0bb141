"""torch.export: the whole program as one graph, or why it is none."""
