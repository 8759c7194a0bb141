"""Finds the programs in a snippet's text, with their inputs."""
