"""Child of `first_picture`: opens the program's window and tells when it is painted."""

import sys

from ffn_explorer.cli.benches.real_window import start, tell

if __name__ == "__main__":
    start(lambda _: tell({"torch": "torch" in sys.modules}))
