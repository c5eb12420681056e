"""Presets of public models: their sizes, what their makers publish, and where both stand."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Literal, TypeVar, get_args, get_type_hints

from ffn_explorer.core.activation_table import ACTIVATIONS
from ffn_explorer.core.architecture import (
    NORM_VECTORS,
    AttentionShape,
    Extra,
    FFNShape,
    LatentShape,
    LayerShape,
    ModelShape,
)
from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.model_bill import model_bill
from ffn_explorer.core.shape_of import NORMS
from ffn_explorer.state.assets import asset
from ffn_explorer.state.text import Text, text

Why = Literal["exact", "rounded", "cut_off", "without_embeddings", "wrong_first_report", "not_reproduced"]
"""Why the published number of parameters is not digit for digit the one that follows from the sizes."""

Made = TypeVar("Made")
Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PublicModel:
    """A public model.

    activation: a name of ACTIVATIONS.  placement: of the norms, the nearest of those that Settings knows.
    context: tokens of the longest sequence it was made for.  source: where the sizes stand.
    published: parameters in the makers' own words, and published_count as a number.
    """

    id: str
    name: str
    maker: str
    year: int
    activation: str
    placement: str
    context: int
    shape: ModelShape
    source: str
    published: str
    published_count: int
    published_source: str
    why: Why

    @property
    def reason(self) -> Text:
        """One sentence on why the published number differs from ours."""
        return text(f"models.why.{self.why}")


@lru_cache(maxsize=1)
def models() -> tuple[PublicModel, ...]:
    """Every preset, by year, maker and size; KeyError or TypeError names the entry and key that is wrong."""
    with asset("models.toml").open("rb") as file:
        return read_models(tomllib.load(file))


def model(name: str) -> PublicModel:
    """Preset of an id, in any case and with spaces for dashes; InputError names the nearest ids."""
    known = {one.id: one for one in models()}
    wanted = "-".join(name.lower().split())
    if wanted in known:
        return known[wanted]
    near = get_close_matches(wanted, known, n=3, cutoff=0.5) or list(known)[:3]
    raise InputError("models.unknown", name=name, near=", ".join(near))


def read_models(table: Table) -> tuple[PublicModel, ...]:
    """Presets of a parsed asset, in their order."""
    made = [_model(entry) for entry in _only(table, {"model"}, where="models.toml")["model"]]
    ids = [one.id for one in made]
    if twice := sorted({one for one in ids if ids.count(one) > 1}):
        raise KeyError(f"{twice[0]}: id stands twice")
    return tuple(sorted(made, key=_place))


def _place(one: PublicModel) -> tuple[int, str, int]:
    return one.year, one.maker.lower(), model_bill(one.shape, Use(tokens=1)).count()


_ABOUT = {field.name for field in fields(PublicModel)} - {"shape"}
_SIZES = {field.name for field in fields(ModelShape)}
_COMMON = {"attention", "ffn", "layer_norms"}
"""What all layers of a model share, unless a row of layers says otherwise."""


def _model(entry: Table) -> PublicModel:
    where = str(entry.get("id", entry))
    _only(entry, _ABOUT | _SIZES | _COMMON, where=where)
    about = {key: entry[key] for key in _ABOUT if key in entry}
    _among(about, "activation", known=ACTIVATIONS, where=where)
    _among(about, "placement", known=NORMS, where=where)
    _among({"norm": "rms"} | dict(entry), "norm", known=NORM_VECTORS, where=where)
    sizes = {key: entry[key] for key in _SIZES if key in entry}
    extras = [
        _made(Extra, {"name": k, "count": n}, where=f"{where}: extras")
        for k, n in _table(entry, "extras", where=where).items()
    ]
    parts = {"layers": _layers(entry, where), "extras": tuple(extras)}
    shape = _made(ModelShape, sizes | parts, where=where)
    return _made(PublicModel, about | {"shape": shape}, where=where)


def _layers(entry: Table, where: str) -> tuple[LayerShape, ...]:
    """One kind of layer for a number, or one for each row."""
    given = _needed(entry, "layers", where=where)
    rows = given if isinstance(given, list) else [{"count": given}]
    common = {key: entry[key] for key in ("attention", "ffn") if key in entry}
    if "layer_norms" in entry:
        common["norms"] = entry["layer_norms"]
    gated = ACTIVATIONS[entry["activation"]].gated
    return tuple(_layer(common | row, gated, where=f"{where}: layers") for row in rows)


def _layer(row: Table, gated: bool, *, where: str) -> LayerShape:
    table = dict(row)
    heads = _table(table, "attention", where=where)
    if "window" in table:
        heads["window"] = table.pop("window")
    table["attention"] = _attention(heads, where=f"{where}: attention")
    ffn = _table(table, "ffn", where=where)
    if "gated" in ffn:
        raise KeyError(f"{where}: ffn: gated follows from the activation")
    table["ffn"] = _made(FFNShape, ffn | {"gated": gated}, where=f"{where}: ffn")
    if "cross" in table:
        table["cross"] = _attention(_table(table, "cross", where=where), where=f"{where}: cross")
    return _made(LayerShape, table, where=where)


def _attention(table: dict[str, Any], *, where: str) -> AttentionShape:
    """As many key-value heads as heads, where their number is left out."""
    if "heads" in table:
        table.setdefault("kv_heads", table["heads"])
    if "latent" in table:
        table["latent"] = _made(LatentShape, _table(table, "latent", where=where), where=f"{where}: latent")
    return _made(AttentionShape, table, where=where)


def _made(kind: Callable[..., Made], table: Table, *, where: str) -> Made:
    """A dataclass from a table with exactly its keys and types."""
    hints = get_type_hints(kind)
    _only(table, hints, where=where)
    for field in fields(kind):  # type: ignore[arg-type]  # every kind here is a dataclass
        if field.name in table:
            _check(table[field.name], hints[field.name], where=f"{where}: {field.name}")
        elif field.default is MISSING:
            _needed(table, field.name, where=where)
    return kind(**table)


def _check(value: object, hint: object, *, where: str) -> None:
    """TypeError for plain values of another type, and for words that are not among the allowed ones."""
    allowed = get_args(hint)
    if hint in (int, str, bool):
        fits = type(value) is hint and value != ""
    else:
        fits = getattr(hint, "__origin__", None) is not Literal or value in allowed
    if not fits:
        raise TypeError(f"{where} cannot be {value!r}")


def _only(table: Table, known: Mapping[str, Any] | set[str], *, where: str) -> Table:
    if unknown := sorted(set(table) - set(known)):
        raise KeyError(f"{where}: unknown key {unknown[0]}")
    return table


def _needed(table: Table, key: str, *, where: str) -> object:
    if key not in table:
        raise KeyError(f"{where}: {key} is missing")
    return table[key]


def _among(table: Table, key: str, *, known: Mapping[str, Any], where: str) -> None:
    if _needed(table, key, where=where) not in known:
        raise KeyError(f"{where}: {key} cannot be {table[key]!r}")


def _table(table: Table, key: str, *, where: str) -> dict[str, Any]:
    """A copy of a table within a table, empty where it is left out."""
    inner = table.get(key, {})
    if not isinstance(inner, dict):
        raise TypeError(f"{where}: {key} cannot be {inner!r}")
    return dict(inner)
