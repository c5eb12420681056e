"""Sameness: whether a picture would be made from the very same parts as the one at hand."""


def same_parts(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Compare by identity first, numbers and names by value: arrays have no single answer to ==."""
    if len(one) != len(other):
        return False
    return all(a is b or (isinstance(a, int | str) and a == b) for a, b in zip(one, other, strict=True))
