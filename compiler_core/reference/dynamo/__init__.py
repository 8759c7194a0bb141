"""TorchDynamo: how it compiled the snippet's own call, and where it left the graph for Python."""
