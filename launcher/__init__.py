"""`make run`: every process of Fuselab in the foreground of one terminal, gone after Ctrl-C."""
