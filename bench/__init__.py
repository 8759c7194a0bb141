"""The suites, one runner, recorded results; docs/measuring.md is the protocol."""
