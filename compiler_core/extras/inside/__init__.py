"""Programs for the interpreter of an extra's environment, which has numpy and the extra and nothing
of this project, so that each file is self-contained (decision 37)."""
