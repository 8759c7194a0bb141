"""The pages: one application of the browser, served with what it needs to begin."""
