"""Numbers of neurons straight from the file: cards, atlases, neighbours and tokens, no layer built whole.

Every product is taken in float64 of the file's own numbers, block by block: what comes out is exact to the
last digits shown, and nothing has to be ranked again.
"""
