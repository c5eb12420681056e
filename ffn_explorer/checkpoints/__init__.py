"""Checkpoints: files of saved weights -> FFNs, read lazily, without ever running what a file contains."""
