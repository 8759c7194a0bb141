"""The text that a workshop writes together: a CRDT, each change of which is checked and stored."""
