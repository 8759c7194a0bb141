"""Attention as one step: found among a plan's steps, its axes, and what its candidates share."""
