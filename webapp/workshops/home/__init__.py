"""Taking a workshop home: a zip of what was run at a seat, what came of it, and the deck."""
