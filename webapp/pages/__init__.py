"""The pages: one single-page application, served with what it needs to start."""
