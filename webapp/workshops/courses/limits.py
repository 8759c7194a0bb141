"""How large a course may be: two hours of reading, and nothing that a database would notice."""

PAGES = 60
EXERCISES = 30
FILES = 2 + PAGES + 5 * EXERCISES
FILE_BYTES = 64 * 1024
ALL_BYTES = 1024 * 1024
# Characters that Markdown reads, of a page and of all: in a page of tables every sixth is one, of
# other texts every fifteenth. Twelve thousand of them take up to 0.3 s.
PAGE_MARKS = 12_000
ALL_MARKS = 60_000
