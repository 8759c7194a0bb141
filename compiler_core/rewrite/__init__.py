"""Patterns and the engine that applies rules to graphs; ignorant of any particular rule."""
