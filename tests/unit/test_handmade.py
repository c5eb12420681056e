"""Memories built by hand: their truth tables hold exactly, their proofs hold, and nonsense is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.experiment import Run, run
from ffn_explorer.core.handmade import (
    LARGEST,
    LONGEST_NAME,
    MOST,
    HandMemory,
    HandNeuron,
    HandPattern,
    misfit,
    settings_of,
)
from ffn_explorer.core.handmade_examples import EXAMPLES, TOLERANCE, as_wanted, wanted_of, written_by
from ffn_explorer.core.handmade_layer import inputs_of, layer_of
from ffn_explorer.core.proof import prove
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import stages_of

TRUTH = {"and": [0.0, 0.0, 0.0, 1.0], "or": [0.0, 1.0, 1.0, 1.0], "xor": [0.0, 1.0, 1.0, 0.0]}
ANSWERS = {
    "@capital_of_france": "@paris",
    "@capital_of_japan": "@tokyo",
    "@currency_of_france": "@euro",
    "@currency_of_japan": "@yen",
}


def played(memory: HandMemory, **settings: Any) -> Run:
    """Run a memory on its patterns."""
    chosen = settings_of(memory, Settings(**settings))
    tokens = [[pattern.name for pattern in memory.patterns]]
    return run(chosen, tokens, layer=layer_of(memory, chosen), x=inputs_of(memory, chosen))


def outcome(memory: HandMemory, **settings: Any) -> Tensor:
    """Return y `[P, D]`."""
    return played(memory, **settings).trace.residual[0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", TRUTH)
def test_logic_is_exact(name: str, dtype: str) -> None:
    memory = EXAMPLES[name]
    assert [pattern.name for pattern in memory.patterns] == ["00", "01", "10", "11"]
    assert outcome(memory, dtype=dtype)[:, 2].tolist() == TRUTH[name]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_pattern_is_answered_by_its_value_alone(dtype: str) -> None:
    memory = EXAMPLES["facts"]
    y = outcome(memory, dtype=dtype)
    for row, pattern in zip(y.tolist(), memory.patterns, strict=True):
        wanted = list(pattern.x)
        if pattern.name in ANSWERS:
            wanted[memory.features.index(ANSWERS[pattern.name])] = 1.0
        assert row == wanted


def test_and_takes_one_neuron_and_xor_two() -> None:
    assert (EXAMPLES["and"].d_ff, EXAMPLES["xor"].d_ff) == (1, 2)


def test_a_smooth_activation_breaks_the_and() -> None:
    gelu = outcome(EXAMPLES["and"], activation="gelu")[:, 2]
    assert 0.8 < float(gelu[3]) < 0.9
    assert float(gelu[0]) < -0.1


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_output_is_the_sum_of_values(name: str) -> None:
    memory = EXAMPLES[name]
    trace = played(memory, dtype="float64").trace
    values = torch.tensor([neuron.value for neuron in memory.neurons], dtype=torch.float64)  # [F, D]
    assert torch.equal(trace.out[0], trace.hidden[0] @ values)
    assert torch.equal(trace.residual, trace.skip + trace.out)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_number_is_proved(name: str) -> None:
    done = played(EXAMPLES[name])
    for stage in stages_of(done.trace.spec):
        values = done.trace.stage(stage)
        for token in range(values.shape[1]):
            for index in range(values.shape[2]):
                proof = prove(done, stage, sentence=0, token=token, index=index)
                assert proof.difference == 0.0


def test_settings_keep_what_the_memory_leaves_free() -> None:
    memory = EXAMPLES["xor"]
    base = Settings(activation="silu", dtype="float64", seed=3, experts=4, top_k=2, norm="rms", mixer=True)
    made = settings_of(memory, base)
    assert (made.d_model, made.d_ff, made.norm, made.residual) == (3, 2, "none", True)
    assert (made.activation, made.dtype, made.seed, made.experts, made.mixer) == (
        "silu",
        "float64",
        3,
        1,
        False,
    )
    assert misfit(memory, made) is None
    assert settings_of(memory, Settings(activation="swiglu")).activation == "relu"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("d_model", 4), ("d_ff", 3), ("norm", "rms"), ("bias", False), ("residual", False), ("mixer", True),
        ("experts", 2), ("layers", 2), ("stack", "decoder"), ("activation", "reglu"),
    ],
)  # fmt: skip
def test_other_settings_do_not_fit(field: str, value: object) -> None:
    memory = EXAMPLES["xor"]
    wrong = settings_of(memory, Settings()).with_(**{field: value})
    assert misfit(memory, wrong) == field
    with pytest.raises(InputError, match="hand_misfit"):
        layer_of(memory, wrong)


def test_an_activation_without_a_gate_is_free() -> None:
    memory = EXAMPLES["and"]
    for name in ("gelu", "silu", "relu2", "identity"):
        assert misfit(memory, settings_of(memory, Settings(activation=name))) is None


def neuron(**parts: Any) -> HandMemory:
    """Return the AND with another neuron."""
    memory = EXAMPLES["and"]
    return replace(memory, neurons=(replace(memory.neurons[0], **parts),))


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: neuron(key=(1.0, 1.0)), "hand_length"),
        (lambda: neuron(value=(1.0,) * 4), "hand_length"),
        (lambda: neuron(bias=float("nan")), "hand_number"),
        (lambda: neuron(bias=2 * LARGEST), "hand_number"),
        (lambda: neuron(key=(float("inf"), 0.0, 0.0)), "hand_number"),
        (lambda: neuron(name="  "), "hand_name"),
        (lambda: neuron(name="x" * (LONGEST_NAME + 1)), "hand_name"),
        (lambda: replace(EXAMPLES["and"], neurons=()), "hand_neurons"),
        (lambda: replace(EXAMPLES["and"], patterns=()), "hand_patterns"),
        (lambda: HandMemory("and", (), (), ()), "hand_features"),
        (
            lambda: replace(EXAMPLES["and"], patterns=EXAMPLES["and"].patterns * (MOST // 4 + 1)),
            "hand_patterns",
        ),
        (lambda: replace(EXAMPLES["and"], patterns=(HandPattern("p", (1.0,)),)), "hand_length"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, key: str) -> None:
    with pytest.raises(InputError, match=key):
        make()


def test_the_largest_memory_is_possible() -> None:
    row = (LARGEST,) * MOST
    HandMemory(
        "and",
        tuple(map(str, range(MOST))),
        tuple(HandNeuron(str(i), row, -LARGEST, row) for i in range(MOST)),
        tuple(HandPattern(str(i), row) for i in range(MOST)),
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_wanted_is_what_the_example_gives(name: str) -> None:
    memory = EXAMPLES[name]
    assert [list(y or ()) for y in wanted_of(memory)] == outcome(memory, dtype="float64").tolist()


def test_what_is_wanted_stays_while_the_numbers_change() -> None:
    memory = EXAMPLES["xor"]
    weaker = replace(memory.neurons[1], value=(0.0, 0.0, -1.0))
    changed = replace(memory, neurons=(memory.neurons[0], weaker))
    assert wanted_of(changed) == wanted_of(memory)
    got = [tuple(y) for y in outcome(changed, dtype="float64").tolist()]
    verdicts = [as_wanted(y, wanted or ()) for y, wanted in zip(got, wanted_of(changed), strict=True)]
    assert verdicts == [True, True, True, False]


def test_another_activation_deviates_where_its_answers_do() -> None:
    memory = EXAMPLES["and"]
    got = outcome(memory, activation="gelu", dtype="float64").tolist()
    verdicts = [as_wanted(tuple(y), w or ()) for y, w in zip(got, wanted_of(memory), strict=True)]
    assert verdicts == [False, True, True, False], "GELU(−1) is −0.159, GELU(0) is 0, GELU(1) is 0.841"


def test_a_pattern_keeps_what_is_wanted_by_its_numbers_and_an_added_one_has_nothing() -> None:
    memory = EXAMPLES["and"]
    wanted = wanted_of(memory)
    added = HandPattern("x4", (0.0, 0.0, 0.0))
    assert wanted_of(replace(memory, patterns=(*memory.patterns, added))) == (*wanted, None)
    assert wanted_of(replace(memory, patterns=(added, *memory.patterns))) == (None, *wanted)
    renamed = tuple(replace(p, name=f"row {i}") for i, p in enumerate(memory.patterns))
    assert wanted_of(replace(memory, patterns=renamed[::-1])) == wanted[::-1]
    moved = replace(memory.patterns[3], x=(1.0, 1.0, 0.5))
    assert wanted_of(replace(memory, patterns=(*memory.patterns[:3], moved))) == (*wanted[:3], None)
    assert wanted_of(replace(memory, name="another")) == (None,) * 4


def test_a_value_that_is_gone_is_still_looked_for() -> None:
    memory = EXAMPLES["and"]
    silent = replace(memory, neurons=(replace(memory.neurons[0], value=(0.0, 0.0, 0.0)),))
    assert written_by(silent) == (2,)
    wider = replace(memory, neurons=(replace(memory.neurons[0], value=(1.0, 0.0, 1.0)),))
    assert written_by(wider) == (0, 2)


def test_the_tolerance_of_a_verdict_is_as_said() -> None:
    assert as_wanted((1.0 + 0.9 * TOLERANCE,), (1.0,))
    assert not as_wanted((1.0 + 1.1 * TOLERANCE,), (1.0,))
    assert not as_wanted((float("nan"),), (1.0,))
    assert TOLERANCE == 1e-6
