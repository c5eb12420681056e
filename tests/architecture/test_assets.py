"""The bundled fonts hold what the program writes, under names that no installed font has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

ttlib: Any = pytest.importorskip("fontTools.ttLib", reason="fonttools belongs to the test tools")

ROOT = Path(__file__).resolve().parents[2]
FONTS = sorted((ROOT / "assets" / "fonts").glob("*.[ot]tf"))
SIGNS = "×·⊙‖θσφΦ√∑Σ≤≥≈≠∞±−→↔←↑↓∈½²³ᵀ₁₂₃ᵢⱼεμ∂′▶■●○⟨⟩⌊⌋∘…–—•✓✗⏸、。（）：「」ー〜①髙"
TEXTS = sorted([*ROOT.glob("assets/translations/*.toml"), *ROOT.glob("assets/lectures/*.toml")])


def in_font(path: Path) -> dict[int, str]:
    """Return the code points of a font with their glyph names."""
    cmap: dict[int, str] = ttlib.TTFont(path).getBestCmap()
    return cmap


@pytest.mark.parametrize("path", FONTS, ids=lambda path: path.name)
def test_digits_line_up_and_names_are_our_own(path: Path) -> None:
    font = ttlib.TTFont(path)
    assert len({font["hmtx"][in_font(path)[ord(digit)]][0] for digit in "0123456789"}) == 1
    assert str(font["name"].getDebugName(1)) in ("FFN Explorer Sans", "FFN Explorer Mono")


@pytest.mark.parametrize("weight", ["Regular", "Bold"])
def test_sans_holds_every_sign(weight: str) -> None:
    cmap = in_font(ROOT / "assets" / "fonts" / f"FFNExplorerSans-{weight}.otf")
    jis = "".join(
        bytes((row, cell)).decode("euc_jp", "ignore")
        for row in range(0xA1, 0xF5)
        for cell in range(0xA1, 0xFF)
    )
    assert len(jis) >= 6879  # JIS X 0208 has 6,879 characters
    assert "".join(sign for sign in SIGNS + jis if ord(sign) not in cmap) == ""


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_sans_holds_every_text_of_the_program(path: Path) -> None:
    cmap = in_font(ROOT / "assets" / "fonts" / "FFNExplorerSans-Regular.otf")
    text = path.read_text("utf-8")
    assert sorted({char for char in text if char not in "\n\t" and ord(char) not in cmap}) == []


def test_fonts_are_small_and_their_licence_is_beside_them() -> None:
    assert len(FONTS) == 4
    assert all(path.stat().st_size < 3_000_000 for path in FONTS)
    assert "SIL OPEN FONT LICENSE Version 1.1" in (ROOT / "assets" / "fonts" / "OFL.txt").read_text("utf-8")
