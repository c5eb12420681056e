"""Makes assets/first_scene.npz: the default state's results, shown before torch is imported.

Run by hand, only when the default settings or sentence, the seeding, or the file's layout change:
`python packaging/make_first_scene.py`. A test computes the same again and compares.
"""

from pathlib import Path

from ffn_explorer.state.first_scene import NAME, write

ASSETS = Path(__file__).resolve().parent.parent / "assets"


def main() -> None:
    """Write the file."""
    write(ASSETS / NAME)


if __name__ == "__main__":
    main()
