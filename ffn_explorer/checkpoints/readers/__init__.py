"""One file per format; each turns a path into a Source of tensors."""
