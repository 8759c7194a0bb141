"""What is wrong with a text of inputs."""

_SHOWN = 24


class InputsError(ValueError):
    """What is wrong with the text, where (column, from 1), and what to write instead."""

    def __init__(self, wrong: str, column: int, remedy: str) -> None:
        self.wrong, self.column, self.remedy = wrong, column, remedy
        super().__init__(f"inputs, column {column}: {wrong}; {remedy}.")


def shown(text: str) -> str:
    """`text`, shortened to its beginning where it is long."""
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
