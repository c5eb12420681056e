"""FFN Explorer: the Transformer's position-wise feed-forward network, made visible."""

__version__ = "0.1.0"
