"""What runs inside the sandbox: the fork server, and the processes of one runner."""
