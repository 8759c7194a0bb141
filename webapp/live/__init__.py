"""The live stream of a run: a WebSocket that replays from any event and then continues."""
