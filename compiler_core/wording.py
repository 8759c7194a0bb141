"""Sentences with numbers in them."""


def counted(count: int, noun: str) -> str:
    """ "1 kernel", "3 launches"."""
    plural = f"{noun}es" if noun.endswith(("ch", "s")) else f"{noun}s"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        plural = f"{noun[:-1]}ies"
    return f"{count} {noun if count == 1 else plural}"
