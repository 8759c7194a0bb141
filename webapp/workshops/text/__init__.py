"""The text that a workshop writes together: a CRDT, each change of which is checked and stored."""

# What the text is called in the document; frontend/src/workshop/shared/copy.ts has the same.
ROOT = "source"
