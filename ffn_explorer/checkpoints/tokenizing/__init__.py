"""Tokenizers of opened files: text -> ids and back, by the file's vocabulary, nothing in it run."""
