"""Workshops: people in one room, each at a seat, with one who leads."""
