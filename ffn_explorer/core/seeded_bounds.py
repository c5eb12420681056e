"""Bounds of what is drawn from a seed, without torch."""

SELECTION_BIAS = 0.05
"""Largest seeded selection bias of a router (no unit); small beside scores between 0 and 1."""
