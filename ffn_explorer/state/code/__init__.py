"""Code: the FFN of the present settings as a short program in PyTorch or NumPy, each line with its stage."""
