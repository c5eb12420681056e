"""The first scene: results of the default state, computed beforehand: a picture is there before torch is.

The file holds what torch computes (`packaging/make_first_scene.py` writes it); what numpy derives from that
in a few milliseconds is derived anew. It serves only the very settings and sentences it was made from.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core.records import Bill, PositionCheck, Proof, StrongPaths
from ffn_explorer.core.spec_of import spec_of
from ffn_explorer.core.stages import Stage, stages_of
from ffn_explorer.state import timeline
from ffn_explorer.state.app_state import AppState, Playback
from ffn_explorer.state.assets import asset
from ffn_explorer.state.compute import compute
from ffn_explorer.state.needs import parts_of
from ffn_explorer.state.parts import spread
from ffn_explorer.state.parts.spread import SpreadRequest
from ffn_explorer.state.pyramid import nbytes, pyramid
from ffn_explorer.state.requests import DetailRequest, PositionRequest, ProofRequest, RunRequest, run_of
from ffn_explorer.state.result import Curve, Detail, RunResult
from ffn_explorer.state.results import Results

NAME = "first_scene.npz"

Arrays = Mapping[str, NDArray[Any]]


def preload(results: Results, state: AppState, *, path: Path | None = None) -> bool:
    """Put the results of the first scene into the store; False where the state asks for another run.

    A file that is missing or cannot be read is no error: everything is then computed, a second later.
    """
    request = run_of(state)
    if request != run_of(AppState()):
        return False
    try:
        with (path or asset(NAME)).open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: _sealed(file[name]) for name in file.files}
        facts = json.loads(arrays["facts"].tobytes())
        if facts["made_from"] != _made_from(request):
            return False
        run = _run(request, arrays, facts)
        details = [_detail(arrays, token) for token in range(run.lengths[0])]
        position = PositionCheck(**facts["position"])
        proofs = {stage: Proof(**_tupled(facts["proofs"][stage])) for stage in run.stages}
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile):
        return False
    results.put(request, run)
    for token, detail in enumerate(details):
        results.put(DetailRequest(request, 0, token), detail)
    results.put(PositionRequest(request), position)
    for stage, proof in proofs.items():
        results.put(_unasked(run, stage), proof)
    lit = parts_of(state, run).activity
    results.put(lit, compute(lit, results))
    sizes = SpreadRequest(request)
    results.put(sizes, spread.compute(sizes, lambda _: run))
    return True


def write(path: Path) -> None:
    """Compute the default state's results and write them."""
    request = run_of(AppState())
    results = Results()
    run = compute(request, results)
    assert isinstance(run, RunResult)
    results.put(request, run)
    position = compute(PositionRequest(request), results)
    assert isinstance(position, PositionCheck)
    details = [compute(DetailRequest(request, 0, token), results) for token in range(run.lengths[0])]
    facts = {
        "made_from": _made_from(request),
        "tokens": run.tokens,
        "bill": asdict(run.bill),
        "position": asdict(position),
        "proofs": {stage: asdict(proof) for stage, proof in _proofs(results, run).items()},
    }
    arrays: dict[str, NDArray[Any]] = {"facts": np.frombuffer(json.dumps(facts).encode(), np.uint8)}
    arrays |= {f"values.{stage}": values for stage, values in run.values.items()}
    arrays |= {f"curve.{field.name}": getattr(run.curve, field.name) for field in fields(Curve)}
    arrays |= _stacked([detail for detail in details if isinstance(detail, Detail)])
    np.savez(path, allow_pickle=False, **arrays)


def _unasked(run: RunResult, stage: Stage) -> ProofRequest:
    """What is proved while the pass rests at a stage and nobody points at anything."""
    return parts_of(AppState(playback=Playback(timeline.time_of(stage, run.stages))), run).proof


def _proofs(results: Results, run: RunResult) -> dict[Stage, Proof]:
    """The proof that each stage shows unasked."""
    found = {stage: compute(_unasked(run, stage), results) for stage in run.stages}
    return {stage: proof for stage, proof in found.items() if isinstance(proof, Proof)}


def _tupled(proof: dict[str, Any]) -> dict[str, Any]:
    source = proof["source"]
    named = None if source is None else (Stage(source[0]), source[1])
    return {**proof, "slices": tuple(proof["slices"]), "source": named}


def _made_from(request: RunRequest) -> dict[str, Any]:
    """Settings and sentences as JSON gives them back."""
    source = request.source
    made: dict[str, Any] = json.loads(
        json.dumps({"settings": request.settings.to_json(), "source": asdict(source)})
    )
    return made


def _run(request: RunRequest, arrays: Arrays, facts: dict[str, Any]) -> RunResult:
    spec = spec_of(request.settings)
    values = {stage: arrays[f"values.{stage}"] for stage in stages_of(spec)}
    pyramids = {stage: pyramid(array) for stage, array in values.items()}
    size = sum(array.nbytes for array in values.values()) + sum(map(nbytes, pyramids.values()))
    return RunResult(
        request=request,
        spec=spec,
        stages=stages_of(spec),
        tokens=tuple(tuple(sentence) for sentence in facts["tokens"]),
        values=values,
        pyramids=pyramids,
        curve=Curve(**{field.name: arrays[f"curve.{field.name}"] for field in fields(Curve)}),
        bill=Bill(**facts["bill"]),
        nbytes=size,
    )


def _stacked(details: list[Detail]) -> dict[str, NDArray[Any]]:
    """Each array of the details, one row per token; parts that a plain FFN lacks are left out."""
    columns: dict[str, list[NDArray[Any] | None]] = {
        field.name: [getattr(detail.paths, field.name) for detail in details] for field in fields(StrongPaths)
    }
    columns["edges"] = [detail.edges for detail in details]
    columns["counts"] = [detail.counts for detail in details]
    stacked: dict[str, NDArray[Any]] = {}
    for name, rows in columns.items():
        there = [row for row in rows if row is not None]
        if there:
            stacked[f"detail.{name}"] = np.stack(there)
    return stacked


def _detail(arrays: Arrays, token: int) -> Detail:
    rows = {
        name.removeprefix("detail."): array[token]
        for name, array in arrays.items()
        if name.startswith("detail.")
    }
    size = sum(row.nbytes for row in rows.values())
    edges, counts = rows.pop("edges"), rows.pop("counts")
    absent = dict.fromkeys(("gate_dim", "gate_part"))
    return Detail(StrongPaths(**{**absent, **rows}), edges, counts, nbytes=size)


def _sealed(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
