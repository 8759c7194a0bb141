"""The web service: runs, their live streams, and the page. Of compiler_core it imports no module
that needs torch."""
