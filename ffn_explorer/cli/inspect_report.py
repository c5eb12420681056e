"""What `inspect` says of a file: its FFN layers as JSON for scripts and as a table for people."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from ffn_explorer.checkpoints.catalog import Checkpoint
from ffn_explorer.checkpoints.scheme import LayerScheme, Note
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.cli.aligned import aligned
from ffn_explorer.cli.messages import language
from ffn_explorer.state.numbers import count, short
from ffn_explorer.state.quoting import harmless
from ffn_explorer.state.text import Text, say
from ffn_explorer.state.visible import visible

ALIKE = (
    "stack", "kind", "d_model", "d_ff", "activation", "gated", "variant", "bias", "dtype", "experts",
    "shared_d_ff", "bytes", "doubts", "gaps", "limits",
)  # fmt: skip
"""What layers must have in common to stand in one line of the table."""


def facts(opened: Checkpoint, *, stack: str | None) -> dict[str, Any]:
    """The file and its FFN layers as plain values, of one stack only where it is named.

    place: of a layer in the file's list, which `--layer` counts; index: as the file itself counts.
    doubts, gaps, limits: sentences on what is not certain, cannot be computed, or is left out of pictures.
    """
    scheme, lens = opened.scheme, opened.scheme.lens
    layers = [
        _layer(opened, place) for place, layer in enumerate(opened.layers) if stack in (None, layer.stack)
    ]
    return {
        "format": opened.source.format,
        "file": opened.source.path.name,
        "family": scheme.family,
        "version": scheme.version,
        "confidence": scheme.confidence,
        "doubts": sentences(scheme.doubts),
        "layers": layers,
        "lens": {
            "embedding": lens.embedding, "final_norm": lens.final_norm.weight,
            "unembedding": lens.unembedding, "tied": lens.tied, "doubts": sentences(lens.doubts),
        },
    }  # fmt: skip


def layer_facts(opened: Checkpoint, place: int) -> dict[str, Any]:
    """One layer with every tensor of it: shape, type, bytes and file."""
    stored = [opened.source.tensors[name] for name in _present(opened.source, opened.layers[place])]
    return {
        **_layer(opened, place),
        "stored": [
            {
                "name": one.name, "shape": list(one.shape), "dtype": one.codec.name, "bytes": one.nbytes,
                "file": one.path.name,
            }
            for one in stored
        ],
    }  # fmt: skip


def _layer(opened: Checkpoint, place: int) -> dict[str, Any]:
    layer, scheme = opened.layers[place], opened.scheme
    names = _present(opened.source, layer)
    return {
        "place": place,
        "index": layer.index,
        "stack": layer.stack,
        "kind": layer.kind,
        "d_model": layer.d_model,
        "d_ff": layer.d_ff,
        "activation": layer.activation,
        "gated": layer.gated,
        "variant": layer.variant,
        "bias": layer.bias,
        "dtype": _dtype(opened.source, layer),
        "experts": layer.experts,
        "shared_d_ff": layer.shared.up.shape[0] if layer.shared is not None else 0,
        "bytes": sum(opened.source.tensors[name].nbytes for name in names),
        "tensors": list(layer.tensors),
        "scheme": scheme.family,
        "confidence": scheme.confidence,
        "doubts": sentences(layer.doubts),
        "gaps": sentences(layer.gaps),
        "limits": sentences(layer.limits),
    }


def _present(source: Source, layer: LayerScheme) -> list[str]:
    """Tensors of the layer that stand in the file under their own names; packed ones have others."""
    return [name for name in layer.tensors if name in source.tensors]


def _dtype(source: Source, layer: LayerScheme) -> str:
    """Types of the matrices as they are stored: "bfloat16", "Q4_K, Q6_K", "mxfp4"."""
    found: dict[str, None] = {}
    for ref in layer.mlp.roles.values():
        for name in ref.names:
            stored = source.tensors.get(name)
            found[ref.quantised or (stored.codec.name if stored else "?")] = None
    return ", ".join(found)


def sentences(notes: Sequence[Note]) -> list[str]:
    """Notes in the language in force."""
    return [say(language(), sentence(note)) for note in notes]


def sentence(note: Note) -> Text:
    """A note as a sentence, with whatever a file wrote made harmless."""
    return harmless(Text(note.key, note.values))


def as_table(found: dict[str, Any], lang: str) -> str:
    """The same for people: the file, a line for layers that are alike, then what is to be known of them."""
    names = {key: visible(str(found[key])) for key in ("file", "format", "family")}
    names["family"] = names["family"] or say(lang, "cli.inspect.by_structure")
    lines = [say(lang, "cli.inspect.title", **names, percent=round(100 * found["confidence"]))]
    lines += found["doubts"]
    if "layer" in found:
        lines += _one(found["layer"], lang)
    elif "neuron" in found:
        from ffn_explorer.cli.inspect_table import neuron_lines

        lines += neuron_lines(found["neuron"], lang)
    else:
        lines += _layers(found["layers"], lang)
        lines += found["lens"]["doubts"]
    if "timing" in found:
        lines.append(_timing(found["timing"], lang))
    return "\n".join(lines)


def _layers(layers: Sequence[dict[str, Any]], lang: str) -> Iterator[str]:
    """A table with a line for each run of layers that are alike, and the sentences on them below."""
    groups = [list(group) for _, group in groupby(layers, lambda row: [row[key] for key in ALIKE])]
    columns = ("layers", "stack", "ffn", "d_model", "d_ff", "experts", "bias", "dtype", "bytes")
    heads = [say(lang, f"cli.inspect.column.{name}") for name in columns]
    yield from aligned([heads, *(_cells(group, lang) for group in groups)], right=(3, 4, 5, 8))
    seen: dict[str, list[str]] = {}
    for group in groups:
        for text in (*group[0]["gaps"], *group[0]["doubts"], *group[0]["limits"]):
            seen.setdefault(text, []).append(_range(group))
    for text, ranges in seen.items():
        yield say(lang, "cli.inspect.note", layers=", ".join(ranges), note=text)


def _cells(group: Sequence[dict[str, Any]], lang: str) -> list[str]:
    first = group[0]
    experts = count(first["experts"]) if first["experts"] else "–"
    if first["shared_d_ff"]:
        experts = say(lang, "cli.inspect.shared", experts=experts, d_ff=count(first["shared_d_ff"]))
    return [
        _range(group), visible(first["stack"]), kind_of(first, lang), count(first["d_model"]),
        count(first["d_ff"]), experts, say(lang, f"cli.inspect.{'yes' if first['bias'] else 'no'}"),
        visible(first["dtype"]), count(first["bytes"]),
    ]  # fmt: skip


def kind_of(row: dict[str, Any], lang: str) -> str:
    """Gated or not, and by which function."""
    function = row["activation"] or say(lang, "cli.inspect.unknown")
    if not row["gated"]:
        return say(lang, "cli.inspect.plain", function=function)
    return say(lang, "cli.inspect.gated", variant=row["variant"], function=function)


def _range(group: Sequence[dict[str, Any]]) -> str:
    first, last = group[0]["place"], group[-1]["place"]
    return str(first) if first == last else f"{first}–{last}"


def _one(layer: dict[str, Any], lang: str) -> Iterator[str]:
    """One layer, its sentences, and its tensors in a table."""
    yield from _layers([layer], lang)
    columns = ("tensor", "shape", "dtype", "bytes", "file")
    heads = [say(lang, f"cli.inspect.column.{name}") for name in columns]
    rows = [
        [
            visible(row["name"]), str(row["shape"]), visible(row["dtype"]), count(row["bytes"]),
            visible(row["file"]),
        ]
        for row in layer["stored"]
    ]  # fmt: skip
    yield from aligned([heads, *rows], right=(3,))


def _timing(timing: dict[str, Any], lang: str) -> str:
    said = {
        name: "–" if value is None else short(value)
        for name, value in timing.items()
        if name != "rss_growth_bytes"
    }
    return say(lang, "cli.inspect.timing", **said, memory=short(timing["rss_growth_bytes"] / 2**20))
