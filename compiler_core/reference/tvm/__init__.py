"""TVM, in an environment of its own: timed beside the others, and opened up."""
