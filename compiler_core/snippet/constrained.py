"""torch's suggestion for sizes that were declared as varying and cannot vary, as a remedy."""

import re

# The last part of torch.export's message about sizes.
_SUGGESTED = re.compile(r"^Suggested fixes:\n(?P<fixes>(?: +\S.*\n?)+)", re.MULTILINE)


def suggested(message: str) -> str:
    """The remedy in torch's message; "" if it suggests nothing."""
    found = _SUGGESTED.search(message)
    if found is None:
        return ""
    fixes = (line.strip() for line in found["fixes"].splitlines())
    return f"have the sizes be as torch suggests: {'; '.join(fixes)}; or leave it a number"
