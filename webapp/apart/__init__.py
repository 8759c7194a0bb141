"""What a stranger's run said as a whole is decoded in a process apart, not in the web's own."""
