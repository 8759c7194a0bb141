"""The tensor IR: types, one closed table of operations, graphs, and their one text form."""
