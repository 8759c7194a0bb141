"""The worker: takes runs from the queue and has each compiled in a sandboxed runner."""
