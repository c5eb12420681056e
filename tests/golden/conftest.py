"""Golden tests compare with other people's implementations, made from tiny configurations, offline."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
