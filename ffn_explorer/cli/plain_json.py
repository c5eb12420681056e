"""Plain values as JSON for scripts, without torch."""

import json
from typing import Any


def as_json(found: dict[str, Any]) -> str:
    """One top-level key a line, in a fixed order; plain ASCII, so that no terminal or pipe alters it."""
    lines = [f"  {json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in found.items()]
    return "{\n" + ",\n".join(lines) + "\n}"
