"""The service: runs, their live streams and the page. Of compiler_core it needs no torch."""
