"""The correction dialog: what a person says of a file is tried, opened, remembered for it, and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from ffn_explorer.app.correction_dialog import CorrectionDialog, notes_of
from ffn_explorer.app.window import Window
from ffn_explorer.checkpoints.catalog import open_checkpoint
from ffn_explorer.checkpoints.corrected import reading_of
from ffn_explorer.checkpoints.correction import Correction
from ffn_explorer.core.activation_table import FUNCTIONS
from ffn_explorer.state.name_patterns import patterns_of
from ffn_explorer.state.open_files import OPEN_FILES
from ffn_explorer.state.opened_json import correction_from_json
from tests.ui.house import house, press, scene
from tests.ui.weights_folder import D, F, llama, nameless, numbers, written

PATIENCE_MS = 20_000


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        yield made
    OPEN_FILES.close()


def dialog_on(window: Window, qtbot: QtBot, path: Path) -> CorrectionDialog:
    """Open a path, and then the dialog from what is offered about it."""
    window.opener.open_text(str(path))
    qtbot.waitUntil(lambda: not window.notices.offer.isHidden(), timeout=PATIENCE_MS)
    window.notices.take_button.click()
    return the_dialog(window)


def the_dialog(window: Window) -> CorrectionDialog:
    """The dialog that is open."""
    return next(found for found in window.findChildren(CorrectionDialog) if found.isVisible())


def says(dialog: CorrectionDialog, words: str) -> bool:
    """Whether the line under the fields holds some words."""
    return words in dialog.outcome.text()


def choose(dialog: CorrectionDialog, name: str, value: str) -> None:
    """Choose a row of a list, as a person does."""
    edit = dialog.fields.edits[name]
    edit.setCurrentIndex(edit.findData(value))
    edit.activated.emit(edit.currentIndex())


def test_a_guess_is_corrected_computed_and_remembered(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    path = nameless(tmp_path / "odd")
    dialog = dialog_on(window, qtbot, path)
    assert dialog.fields.correction() == Correction(
        "layers", up="net.blocks.{layer}.fc1.weight", down="net.blocks.{layer}.fc2.weight"
    )
    assert dialog.notes.text().count("•") == 4
    qtbot.waitUntil(lambda: "activation" in dialog.outcome.text(), timeout=PATIENCE_MS)
    assert not dialog.ok.isEnabled()
    choose(dialog, "function", "gelu")
    assert not dialog.ok.isEnabled()
    qtbot.waitUntil(dialog.ok.isEnabled, timeout=PATIENCE_MS)
    assert dialog.outcome.text() == f"3 layers, D {D}, Dff {F}, without a gate"
    by = dialog.fields.correction()
    dialog.ok.click()
    qtbot.waitUntil(lambda: not scene(window).stale, timeout=PATIENCE_MS)
    opened = window.director.state.source.opened
    assert opened is not None
    assert opened.correction == by
    assert scene(window).settings.activation == "gelu"
    assert window.notices.offer.isHidden()
    window.opener.open_text(str(path))
    qtbot.waitUntil(lambda: not window.opener.job.under_way, timeout=PATIENCE_MS)
    assert window.director.state.source.opened == opened
    next(action for action in window.keymap.actions if action.name == "correct").run(window)
    dialog = the_dialog(window)
    dialog.found.click()
    qtbot.waitUntil(lambda: not window.notices.offer.isHidden(), timeout=PATIENCE_MS)
    assert window.director.state.source.opened is not None
    assert window.director.state.source.opened.correction is None
    assert window.opener.corrections.known == {}


def test_what_contradicts_the_file_is_a_sentence_under_the_fields(
    window: Window, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = dialog_on(window, qtbot, nameless(tmp_path / "odd"))
    choose(dialog, "function", "relu")
    for name, typed, said in (
        ("up", "nothing.{layer}", "nothing.{layer}"),
        ("up", "net.blocks.{layer}.fc2.weight", "feed-forward"),
        ("up", "net.blocks.{layer}.fc1.weight", "3 layers"),
        ("gate", "net.blocks.{layer}.fc1.weight", ", gated"),
        ("norm_name", "nowhere.{layer}", "nowhere.{layer}.weight"),
    ):
        if name == "norm_name":
            choose(dialog, "norm", "rms")
        dialog.fields.edits[name].setEditText(typed)
        qtbot.waitUntil(partial(says, dialog, said), timeout=PATIENCE_MS)
    before = window.director.state
    dialog.reject()
    assert window.director.state == before
    assert window.opener.corrections.known == {}


def test_fields_that_do_not_go_together_rest(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = dialog_on(window, qtbot, nameless(tmp_path / "odd"))
    edits = dialog.fields.edits
    assert not edits["place"].isEnabled()
    assert not edits["norm_name"].isEnabled()
    choose(dialog, "norm", "layer")
    assert edits["place"].isEnabled()
    assert dialog.fields.correction().place == "pre"
    choose(dialog, "fused", "half1")
    assert not edits["gate"].isEnabled()
    assert dialog.fields.correction().gate == ""
    qtbot.waitUntil(lambda: edits["up"].count() == 3, timeout=PATIENCE_MS)
    assert [edits["up"].itemText(row) for row in range(3)] == [
        "", "net.blocks.{layer}.fc1.weight", "net.blocks.{layer}.fc2.weight",
    ]  # fmt: skip
    assert edits["up"].currentText() == "net.blocks.{layer}.fc1.weight"
    press(window, Qt.Key.Key_Escape)
    dialog.reject()


def test_every_field_is_named_explained_and_reachable(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = dialog_on(window, qtbot, nameless(tmp_path / "odd"))
    for name, edit in dialog.fields.edits.items():
        assert isinstance(edit, QComboBox)
        assert edit.accessibleName(), name
        assert edit.toolTip(), name
        assert edit.focusPolicy() & Qt.FocusPolicy.TabFocus
    functions = dialog.fields.edits["function"]
    assert {functions.itemData(row) for row in range(functions.count())} == {"", *FUNCTIONS}
    assert dialog.height() <= window.height()
    dialog.reject()


def test_what_is_known_is_shown_as_it_is_and_changes_nothing(tmp_path: Path) -> None:
    with open_checkpoint(llama(tmp_path / "m")) as checkpoint:
        by = reading_of(checkpoint.scheme, "decoder")
        assert notes_of(checkpoint.scheme, "decoder") == []
        again = checkpoint.read_as(by).layers
        assert [layer.tensors for layer in again] == [layer.tensors for layer in checkpoint.layers]
        assert correction_from_json({"stack": "decoder", "fused": "even"}) == Correction(
            "decoder", fused="even"
        )


def test_names_become_patterns(tmp_path: Path) -> None:
    tensors = {
        f"h.{layer}.experts.{expert}.w1.weight": numbers(F, D, seed=expert)
        for layer in range(5)
        for expert in range(2)
    }
    tensors |= {f"h.{layer}.mlp.{at}.weight": numbers(F, D, seed=at) for layer in range(5) for at in (0, 2)}
    tensors |= {f"h.{layer}.ln_2.weight": numbers(D, seed=layer) for layer in range(5)}
    tensors |= {f"h.{layer}.fc1.weight": numbers(F, D, seed=layer) for layer in range(5)}
    tensors |= {f"h.{layer}.fc2.weight": numbers(D, F, seed=layer) for layer in range(5)}
    tensors["head.weight"] = numbers(F, D, seed=9)
    with open_checkpoint(written(tmp_path / "m", tensors, None)) as checkpoint:
        matrices, norms = patterns_of(checkpoint)
    assert set(matrices) == {
        "h.{layer}.experts.0.w1.weight", "h.{layer}.experts.1.w1.weight", "h.{layer}.mlp.0.weight",
        "h.{layer}.mlp.2.weight", "h.{layer}.fc1.weight", "h.{layer}.fc2.weight", "head.weight",
    }  # fmt: skip
    assert norms == ("h.{layer}.ln_2",)
