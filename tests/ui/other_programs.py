"""Pictures as other programs draw them: resvg for SVG, PDFium for PDF; and how alike two pictures are."""

from __future__ import annotations

import io
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pypdfium2  # type: ignore[import-untyped]
import resvg_py
from numpy.typing import NDArray
from PIL import Image

from ffn_explorer.export.pdf import POINTS_PER_PX
from ffn_explorer.state.assets import asset

Grey = NDArray[np.float64]

SVG = "{http://www.w3.org/2000/svg}"
FONTS = sorted(str(path) for path in asset("fonts").glob("*.[ot]tf"))
BLOCK_PX = 8


def grey(image: Image.Image) -> Grey:
    """Brightness of each pixel `[height, width]`, 0..255."""
    found: Grey = np.asarray(image.convert("RGB"), np.float64).mean(-1)
    return found


def drawn(path: Path, pixels: float) -> Grey:
    """A picture as another program draws it, at so many device pixels for each logical one."""
    if path.suffix == ".svg":
        made = resvg_py.svg_to_bytes(
            svg_path=str(path), zoom=pixels, skip_system_fonts=True, font_files=FONTS
        )
        return grey(Image.open(io.BytesIO(bytes(made))))
    if path.suffix == ".pdf":
        document = pypdfium2.PdfDocument(path)
        try:
            return grey(document[0].render(scale=pixels / POINTS_PER_PX).to_pil())
        finally:
            document.close()
    return grey(Image.open(path))


def words_in(path: Path) -> str:
    """All words of an SVG or PDF that are text, without any white space."""
    if path.suffix == ".pdf":
        document = pypdfium2.PdfDocument(path)
        try:
            said = document[0].get_textpage().get_text_bounded()
        finally:
            document.close()
    else:
        said = "".join("".join(found.itertext()) for found in ET.parse(path).iter(f"{SVG}text"))
    return re.sub(r"\s", "", said)


def similarity(a: Grey, b: Grey) -> Grey:
    """Structural similarity of blocks of 8 × 8 pixels, 1 where they are the same (Wang et al. 2004)."""
    assert a.shape == b.shape
    x, y = _blocks(a), _blocks(b)
    mean_x, mean_y = x.mean(-1), y.mean(-1)
    both = ((x - mean_x[..., None]) * (y - mean_y[..., None])).mean(-1)
    one, two = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    top = (2 * mean_x * mean_y + one) * (2 * both + two)
    found: Grey = top / ((mean_x**2 + mean_y**2 + one) * (x.var(-1) + y.var(-1) + two))
    return found


def _blocks(a: Grey) -> Grey:
    high, wide = (side // BLOCK_PX for side in a.shape)
    cut = a[: high * BLOCK_PX, : wide * BLOCK_PX].reshape(high, BLOCK_PX, wide, BLOCK_PX)
    return cut.swapaxes(1, 2).reshape(high, wide, -1)
