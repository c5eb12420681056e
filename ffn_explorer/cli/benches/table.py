"""BENCHES: every bench by name, with the limit it is held against."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ffn_explorer.cli.benches import film, first_picture, forward, frame, frames, large, opened, roof, stall
from ffn_explorer.cli.benches.timing import Measured

Kind = Literal["ratio", "value"]


@dataclass(frozen=True, slots=True)
class Bench:
    """One bench; what it measures is described under "bench.about.<name>".

    limit: of the ratio to the bare counterpart ("ratio"), or of the median itself, in `unit` ("value").
    """

    name: str
    measure: Callable[[], Measured]
    kind: Kind
    limit: float
    unit: str


@dataclass(frozen=True, slots=True)
class Row:
    """What is told of one bench; ratio is None where nothing is compared."""

    name: str
    median: float
    p95: float
    unit: str
    ratio: float | None
    limit: float
    ok: bool


BENCHES = (
    Bench("forward_float32", forward.plain_float32, "ratio", 1.05, "ms"),
    Bench("forward_float32_gated", forward.gated_float32, "ratio", 1.05, "ms"),
    Bench("forward_bfloat16", forward.plain_bfloat16, "ratio", 1.05, "ms"),
    Bench("forward_bfloat16_gated", forward.gated_bfloat16, "ratio", 1.05, "ms"),
    Bench("forward_512", forward.rate_512, "ratio", 1 / 0.97, "ms"),
    Bench("roofline", roof.points, "value", 105.0, "%"),
    Bench("frame_playing", frame.playing, "ratio", 2.5, "ms"),
    Bench("large_frame", large.frame, "ratio", 2.5, "ms"),
    Bench("large_select", large.select, "ratio", 2.5, "ms"),
    Bench("first_picture", first_picture.first_picture, "ratio", 2.0, "ms"),
    Bench("opened_layers", opened.layers, "value", 1_000.0, "ms"),
    Bench("opened_neuron", opened.neuron, "value", 1_000.0, "ms"),
    Bench("opened_tokens", opened.tokens, "value", 10_000.0, "ms"),
    Bench("opened_memory", opened.memory, "value", 200.0, "MB"),
    Bench("opened_picture", opened.picture, "value", 1_000.0, "ms"),
    Bench("film_mp4", film.mp4, "ratio", 2.0, "ms"),
    Bench("film_gif", film.gif, "ratio", 2.0, "ms"),
    Bench("film_webp", film.webp, "ratio", 2.0, "ms"),
    Bench("film_apng", film.apng, "ratio", 2.0, "ms"),
    Bench("stall_torch_import", stall.torch_import, "value", 250.0, "ms"),
    Bench("stall_use", stall.use, "value", 50.0, "ms"),
    Bench("frames_memory", frames.memory, "value", 5.0, "MB"),
    Bench("frames_references", frames.references, "value", 0.0, "None"),
)


def row_of(bench: Bench, measured: Measured) -> Row:
    """Measured values held against the bench's limit."""
    ratio = measured.ratio
    judged = ratio if bench.kind == "ratio" and ratio is not None else measured.median
    return Row(
        name=bench.name,
        median=measured.median,
        p95=measured.p95,
        unit=bench.unit,
        ratio=ratio,
        limit=bench.limit,
        ok=measured.sound and judged <= bench.limit,
    )


def named(names: list[str]) -> tuple[Bench, ...]:
    """Benches by name or by its first words; all for []. ValueError names the first unknown."""

    def meant(bench: Bench, name: str) -> bool:
        return f"{bench.name}_".startswith(f"{name}_")

    for name in names:
        if not any(meant(bench, name) for bench in BENCHES):
            raise ValueError(name)
    return tuple(bench for bench in BENCHES if not names or any(meant(bench, name) for name in names))
