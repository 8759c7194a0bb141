"""Text to programs with their inputs."""
