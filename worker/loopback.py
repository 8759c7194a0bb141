"""Whether the page can be reached from this machine only."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from webapp.origin import is_loopback, strangers

_REMEDY = (
    "FUSELAB_SANDBOX=off-loopback-only, but {what}: set FUSELAB_SANDBOX=required, or serve on "
    "loopback addresses only."
)


def loopback_problem(hosts: Sequence[str], redis_url: str) -> str:
    """Why the page might be reachable from another machine; "" if it is not. Only then may snippets
    run without a sandbox."""
    if names := strangers(hosts):
        return _REMEDY.format(what=f"FUSELAB_ALLOWED_HOSTS has {', '.join(names)}")
    redis = urlsplit(redis_url)
    if redis.scheme != "unix" and not is_loopback(redis.hostname):
        return _REMEDY.format(what=f"Redis is at {redis.hostname}")
    return ""
