"""How a run of pytest within a test is started."""

# Each run would import them anew.
APART = ("django", "asyncio", "hypothesispytest", "playwright", "schemathesis")
PLAIN = [f"-pno:{plugin}" for plugin in APART]
