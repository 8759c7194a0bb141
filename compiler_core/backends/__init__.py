"""Who plans, prints, builds and compiles a program for one kind of machine."""
