"""The one noun of the service: a run of a snippet, with its events, its queue and its API."""
