"""Runs a snippet and finds the programs in it, with their inputs."""
