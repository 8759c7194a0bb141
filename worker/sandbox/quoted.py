"""What a runner said, in a sentence of the service's own."""

_LONGEST = 80


def quoted(said: str, longest: int = _LONGEST) -> str:
    """Its beginning, with a sign in the place of each that is not seen or that turns the direction
    of others."""
    shown = said if len(said) <= longest else f"{said[: longest - 3]}..."
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in shown)
