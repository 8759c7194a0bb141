"""Django's back end for PostgreSQL, but for how long a connection is waited for."""
