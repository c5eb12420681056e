"""What `run` says: the facts of one pass, as JSON for scripts and as a table for people."""

from typing import Any

from ffn_explorer.core.cost import bill
from ffn_explorer.core.experiment import Run
from ffn_explorer.core.ffn import Origin
from ffn_explorer.core.position import position_check
from ffn_explorer.core.sparsity import fractions
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.arrays import to_numpy
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.run_facts import shape_in
from ffn_explorer.state.text import say
from ffn_explorer.state.theta import theta_in
from ffn_explorer.state.visible import visible

MOST_TOKENS_SHOWN = 24
"""Tokens written out per sentence in the table; the JSON has all."""


def facts(run: Run, state: AppState, *, x_file: str = "") -> dict[str, Any]:
    """Everything that `run --json` prints, as plain values; numbers that are not finite become None."""
    trace, lengths = run.trace, run.lengths
    theta = theta_in(state.settings, state.theta)
    mask = None if run.mask is None else run.mask.cpu().numpy()
    found = fractions(to_numpy(trace.hidden), theta, relative=state.theta.relative, mask=mask)
    counted = bill(run.settings, lengths, ffn=shape_in(run_of(state)))
    check = position_check(run)
    per_token = [[float(v) for v in row[:length]] for row, length in zip(found.per_token, lengths)]
    return {
        "tokens": [list(sentence) for sentence in run.tokens],
        "shapes": {
            "x": list(trace.x.shape),
            "up": list(trace.up.shape),
            "gate": None if trace.gate is None else list(trace.gate.shape),
            "hidden": list(trace.hidden.shape),
            "out": list(trace.out.shape),
        },
        "parameters": {
            "ffn_total": counted.ffn_total,
            "ffn_weights": counted.ffn_weights,
            "attention_weights": counted.attention_weights,
        },
        "flops": {
            "ffn": counted.ffn_flops,
            "attention_projections": counted.projection_flops,
            "attention_scores": counted.score_flops,
        },
        "active_fraction": {"overall": found.overall, "per_token": per_token},
        "exact_zero_fraction": found.exact_zero,
        "theta": theta,
        "position_check": {
            "max_difference": max(check.alone, check.permuted) if _all_finite(run) else None,
            "tolerance": check.tolerance,
            "dtype": check.dtype,
        },
        "origin": {"weights": _origin(run.layer.origin), "x": _x_origin(run, x_file)},
    }


def as_table(found: dict[str, Any], language: str) -> str:
    """The same for people, a short table in their language."""
    check, parameters, flops = found["position_check"], found["parameters"], found["flops"]
    apart = check["max_difference"]
    if apart is None:
        verdict = "position_unknown"
    else:
        verdict = "position_holds" if apart <= check["tolerance"] else "position_fails"
    shapes = {name: "—" if shape is None else str(shape) for name, shape in found["shapes"].items()}
    rows: list[tuple[str, str, dict[str, Any]]] = [
        ("tokens", "tokens_value", {"tokens": line, "count": f"{len(sentence):,}"})
        for sentence in found["tokens"]
        for line in [_shortened(sentence)]
    ]
    rows += [
        ("shapes", "shapes_value", shapes),
        ("parameters", "parameters_value", {k: f"{v:,}" for k, v in parameters.items()}),
        ("flops", "flops_value", {k: f"{v:,}" for k, v in flops.items()}),
        (
            "active",
            "active_value",
            {
                "share": f"{100 * found['active_fraction']['overall']:.1f}",
                "theta": f"{found['theta']:g}",
                "zeros": f"{100 * found['exact_zero_fraction']:.1f}",
            },
        ),
        (
            "position",
            verdict,
            {
                "difference": "" if apart is None else f"{apart:.2g}",
                "tolerance": f"{check['tolerance']:.2g}",
                "dtype": check["dtype"],
            },
        ),
        _origin_row(found["origin"]),
    ]
    return "\n".join(
        say(
            language,
            "cli.run.row",
            name=say(language, f"cli.run.{name}"),
            value=say(language, f"cli.run.{key}", **values),
        )
        for name, key, values in rows
    )


def _origin(origin: Origin) -> dict[str, Any]:
    """Where weights come from: the seed, or the file with the tensors' names."""
    if origin.kind == "loaded":
        return {"kind": "loaded", "seed": None, "file": origin.file, "tensors": list(origin.tensors)}
    return {"kind": origin.kind, "seed": origin.seed}


def _x_origin(run: Run, x_file: str) -> dict[str, Any]:
    """Where the hidden states come from: a seed, an NPY file, or the rows of an embedding."""
    if x_file:
        return {"kind": "loaded", "file": x_file}
    if run.origin.kind == "loaded":
        return {"kind": "token_embeddings", "file": run.origin.file, "tensors": list(run.origin.tensors)}
    return {"kind": "seeded", "seed": run.origin.seed}


def _origin_row(origin: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    seed = origin["weights"]["seed"]
    if "file" in origin["weights"]:
        x = {"loaded": "x_npy", "token_embeddings": "x_embeddings"}.get(origin["x"]["kind"], "x_seeded")
        said = {"file": visible(origin["weights"]["file"]), "x": visible(origin["x"].get("file", ""))}
        return "origin", f"origin_opened_{x}", said
    if origin["x"]["kind"] == "loaded":
        return "origin", "origin_loaded", {"seed": seed, "file": visible(origin["x"]["file"])}
    return "origin", "origin_seeded", {"seed": seed}


def _shortened(tokens: list[str]) -> str:
    shown = " ".join(map(visible, tokens[:MOST_TOKENS_SHOWN]))
    return shown if len(tokens) <= MOST_TOKENS_SHOWN else f"{shown} …"


def _all_finite(run: Run) -> bool:
    """Whether every token has numbers only: NaN beside NaN says nothing about a difference."""
    return all(bool(row[:length].isfinite().all()) for row, length in zip(run.trace.result, run.lengths))
