"""Lectures: chapters and scenes as authors write them in TOML, and the way through them."""
