"""Parts: what some panels need of a run beyond its stages; one file per kind, all rows in `table`."""
