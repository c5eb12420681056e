"""Parts that are read of an opened file: one file for each kind, and the table of them."""
