"""Whether two names speak of the same thing: `optD` and `netD`, `netD` and `Discriminator`,
`actor_opt` and `actor`."""

import re

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# Words that may name any module or any optimizer.
_OF_ANY = frozenset(("net", "network", "model", "module", "nn", "opt", "optim", "optimizer"))


def is_of(name: str, other: str) -> bool:
    """Whether a word of `name` equals one of `other`, or begins or ends it; a single letter must
    begin it."""
    return any(_is_same(w, o) for w in _words(name) for o in _words(other))


def _words(name: str) -> list[str]:
    found = [w.lower() for w in _WORDS.findall(name)]
    return [w for w in found if w not in _OF_ANY]


def _is_same(word: str, other: str) -> bool:
    return other.startswith(word) or (len(word) > 1 and other.endswith(word))
