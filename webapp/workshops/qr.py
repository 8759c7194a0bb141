"""The link of a workshop as a QR code, to be shown by a projector."""

import io

import segno


def svg(link: str) -> bytes:
    """A drawing of `link`, dark on white whatever the theme: so cameras want it. A quarter of it
    may be hidden, by whoever sits in front."""
    drawn = io.BytesIO()
    code = segno.make(link, error="q", micro=False)
    code.save(drawn, kind="svg", dark="#000", light="#fff", border=4, svgclass=None, lineclass=None)
    return drawn.getvalue()
