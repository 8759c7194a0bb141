"""Plans: launches in order over named buffers, their schedules, and their places in memory."""
