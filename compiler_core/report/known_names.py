"""A metaclass for types whose fields people write by name."""

from difflib import get_close_matches
from typing import Any

import msgspec


class KnownNames(msgspec.StructMeta):
    """Raises TypeError for a field that does not exist, with the nearest name or all of them."""

    def __call__(cls, **options: Any) -> Any:  # noqa: N805
        known = cls.__struct_fields__
        for name in options.keys() - set(known):
            near = get_close_matches(name, known, 1)
            meant = f"did you mean {near[0]}?" if near else f"choose from {', '.join(known)}"
            raise TypeError(f"there is no option {name}: {meant}")
        return super().__call__(**options)
