"""AOTAutograd: what it makes of TorchDynamo's graphs before a compiler sees them."""
