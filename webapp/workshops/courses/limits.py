"""How large a course may be: two hours of reading, and nothing that a database would notice."""

PAGES = 60
EXERCISES = 30
FILES = 2 + PAGES + 5 * EXERCISES
FILE_BYTES = 64 * 1024
ALL_BYTES = 1024 * 1024
