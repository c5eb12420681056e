"""Export: pictures of a panel or of the window as files; `table.EXPORTERS` lists the formats."""
