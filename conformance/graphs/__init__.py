"""Random graphs over the whole table of operations: a step for each, in the same families, that
finds itself operands and numbers which fit. What every value is, is known while a graph grows."""
