"""Golden tests compare with other people's implementations, built from tiny random configurations without a network."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
