"""Measuring: rooflines of this machine, measured when a person asks, and kept with the machine's name."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ffn_explorer.core.roofline_records import Operating, Roof, Roofline
from ffn_explorer.state.costing import Measurement
from ffn_explorer.state.files import VERSION, Damaged, read_json, write_json
from ffn_explorer.state.result import Measured
from ffn_explorer.state.storage import check_folder, folder

MOST_KEPT = 64
"""Measurements that are kept; the oldest go first."""


def file() -> Path:
    """Where measurements are kept, beside the preferences."""
    return folder() / "rooflines.json"


def known_or_measured(wanted: Measurement, told: Callable[[float], None]) -> Measured:
    """What was measured before; or, where a person asks, a new measurement, which is kept.

    told: hears how much is done, 0..1, and raises to stop.  Raises what `roofline.measure` raises.
    """
    from ffn_explorer.core.devices import check_device
    from ffn_explorer.core.machine import device_name
    from ffn_explorer.core.roofline import measure

    check_device(wanted.settings())
    if wanted.serial == 0:
        return Measured(fitting(load_rooflines(file()), wanted, machine=device_name(wanted.device)))
    found = measure(wanted.settings(), told)
    with suppress(OSError):  # a folder that cannot be written to: measured again next time
        check_folder()
        keep_roofline(file(), found)
    return Measured(found)


def fitting(kept: list[Roofline], wanted: Measurement, *, machine: str) -> Roofline | None:
    """The newest of this machine in that dtype; one of the same FFN before all others."""
    here = [r for r in kept if (r.machine, r.device, r.dtype) == (machine, wanted.device, wanted.dtype)]
    ffn = (wanted.d_model, wanted.d_ff, wanted.activation)
    same = [r for r in here if (r.d_model, r.d_ff, r.activation) == ffn]
    return next(reversed(same or here), None)


def load_rooflines(path: Path) -> list[Roofline]:
    """Kept measurements, the oldest first; none where the file is missing or damaged."""
    try:
        data = read_json(path)
        return list(_rooflines(data))
    except (OSError, ValueError, Damaged):
        # Measured again in seconds: not worth a sentence.
        return []


def keep_roofline(path: Path, new: Roofline) -> None:
    """Add a measurement to the file, in the place of an older one of its kind; OSError where it cannot be."""
    kept = [r for r in load_rooflines(path) if _kind(r) != _kind(new)]
    entries = [asdict(r) for r in [*kept, new][-MOST_KEPT:]]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {"version": VERSION, "rooflines": entries})


def _kind(r: Roofline) -> tuple[object, ...]:
    return r.machine, r.device, r.dtype, r.d_model, r.d_ff, r.activation


def _rooflines(data: dict[str, Any]) -> Iterator[Roofline]:
    entries = data.get("rooflines")
    for entry in entries if isinstance(entries, list) else []:
        try:
            yield _roofline(entry)
        except (TypeError, ValueError, KeyError):
            continue


def _roofline(entry: dict[str, Any]) -> Roofline:
    """A measurement of plain values; ValueError where a number cannot be one."""
    roof = Roof(*(_positive(entry["roof"][name]) for name in ("flops_per_s", "bytes_per_s")))
    points = tuple(
        Operating(
            tokens=_whole(point["tokens"]),
            flops=_whole(point["flops"]),
            bytes=_whole(point["bytes"]),
            seconds=_positive(point["seconds"]),
        )
        for point in entry["points"]
    )
    if not points:
        raise ValueError(entry["points"])
    words = {name: str(entry[name])[:200] for name in ("machine", "device", "dtype", "activation")}
    width, wide = _whole(entry["d_model"]), _whole(entry["d_ff"])
    return Roofline(d_model=width, d_ff=wide, roof=roof, points=points, **words)


def _whole(value: object) -> int:
    if type(value) is not int or not 0 < value < 2**63:
        raise ValueError(value)
    return value


def _positive(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1e-12 < value < 1e30:
        raise ValueError(value)
    return float(value)
