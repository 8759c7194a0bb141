"""Two front doors, torch and jax, into one IR; each walks one table."""
