"""The worker: takes runs from the queue and has each compiled by a sandboxed process."""
