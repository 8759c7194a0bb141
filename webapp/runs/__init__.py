"""A run of a snippet: its events, its queue, its API."""
