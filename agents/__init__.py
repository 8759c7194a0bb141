"""Fuselab for agents: an MCP server before the HTTP API, run by an environment of its own
(docs/how-to/use-fuselab-from-an-agent.md).

It imports the official SDK and the standard library, and nothing of the other rooms: it is a client
of the service like any other, on whichever machine.
"""
