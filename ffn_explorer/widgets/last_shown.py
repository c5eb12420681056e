"""LastShown: what each part of a picture was shown for, so that it is made anew only for something else."""


class LastShown:
    """By part of a picture, the values that it followed from when it was made last."""

    def __init__(self) -> None:
        """Nothing has been shown."""
        self._values: dict[str, tuple[object, ...]] = {}

    def differs(self, part: str, *values: object) -> bool:
        """Whether a part has to be made anew for these values; from now on it counts as made for them.

        They compare by value: none of them may be an array.
        """
        if self._values.get(part) == values:
            return False
        self._values[part] = values
        return True
