"""Panels: one picture each, strangers to each other; `table.PANELS` lists them."""
