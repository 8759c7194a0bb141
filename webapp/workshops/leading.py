"""The link that leads a leader's second machine to the same room: signed, and so not stored."""

from django.core.signing import BadSignature, Signer

_signer = Signer(salt="webapp.workshops.leading")


def secret(code: str) -> str:
    """What proves that its bearer leads the workshop."""
    return _signer.signature(code)


def link(code: str) -> str:
    """The path of the leader link. The secret is in the fragment, which browsers do not send."""
    return f"/w/{code}#lead={secret(code)}"


def proves(code: str, given: str) -> bool:
    """Whether `given` is the secret of this workshop."""
    try:
        return _signer.unsign(f"{code}:{given}") == code
    except BadSignature:
        return False
