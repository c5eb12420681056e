"""Roof: measured operating points against the measured roof, which none may exceed by more than noise."""

from ffn_explorer.cli.benches.timing import Measured
from ffn_explorer.core.settings import Settings

SETTINGS = (
    Settings(d_model=512, d_ff=2_048),
    Settings(d_model=4_096, d_ff=11_008, activation="swiglu", bias=False),
    Settings(d_model=512, d_ff=2_048, dtype="bfloat16"),
)


def points() -> Measured:
    """Every point's rate in percent of its bound; the highest decides."""
    from ffn_explorer.core.roofline import measure

    found = [measure(settings, lambda _share: None) for settings in SETTINGS]
    reached = [100.0 * roofline.reached(point) for roofline in found for point in roofline.points]
    return Measured((max(reached),))
