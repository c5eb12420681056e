"""Films: frames in a row as one file; `table.MOVING` lists the formats."""
