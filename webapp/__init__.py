"""The web service: runs, their live streams, and the page. It imports no module of compiler_core
that needs torch."""
