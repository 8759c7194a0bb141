"""Courses: a folder of Markdown pages and exercises, and the deck that a workshop has of one."""
