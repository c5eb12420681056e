"""The drawing kit: theme, fonts, heat maps, curves, flow, chips, and the base of every panel."""
