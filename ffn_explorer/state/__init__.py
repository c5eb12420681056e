"""What the app knows: frozen values, plain Python and numpy; no Qt, and no torch at import."""
