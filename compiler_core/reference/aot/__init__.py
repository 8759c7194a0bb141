"""AOTAutograd: what it turns TorchDynamo's graphs into before a compiler sees them."""
