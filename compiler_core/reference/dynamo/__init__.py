"""TorchDynamo: what it made of the snippet's own call, and where it left for Python."""
