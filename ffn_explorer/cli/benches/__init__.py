"""Benches: what `ffn-explorer bench` measures; `table.BENCHES` lists them."""
