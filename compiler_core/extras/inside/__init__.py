"""What is run by the interpreter of an extra's environment: it has numpy and the extra, and nothing
of this project, so each file stands alone (decision 37)."""
