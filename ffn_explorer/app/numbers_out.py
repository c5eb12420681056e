"""Numbers and programs of a state as files: a panel's table, the arrays of the pass, a script."""

from pathlib import Path

from PySide6.QtWidgets import QApplication

from ffn_explorer.app.still import Subject, computed, still, whole_application
from ffn_explorer.export.numbers_file import table_of, write_table
from ffn_explorer.export.written import write_bytes
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.code.dialect import DialectName
from ffn_explorer.state.compute import Asked, compute, never
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.results import Results


def write_panel_numbers(state: AppState, path: Path, panel: str) -> None:
    """Write what a panel shows in this state as CSV or NPZ, by the suffix.

    InputError on an unknown panel, one without numbers, or a file that cannot be written.
    """
    subject = Subject(panel)
    subject.check()
    QApplication.instance() or QApplication([])
    state = changes.show_panels(frozenset([panel])).to(state)
    with still(state, computed(state), subject, wear=whole_application) as board:
        table = table_of(board.panels[panel])  # type: ignore[attr-defined]  # a Board
    write_table(table, path)


def write_arrays(
    state: AppState, path: Path, *, results: Results | None = None, stopped: Asked = never
) -> None:
    """Write every stage of the pass as NPZ, as `run --npz` does; InputError where that cannot be done.

    results: where the pass may be known already.  stopped: asked before anything is written.
    """
    from ffn_explorer.export.tensors import write_npz

    run = run_with_tensors(state, results or Results()).run
    assert run is not None
    if not stopped():
        write_npz(path, run.trace)


def write_script(
    state: AppState,
    path: Path,
    dialect: DialectName,
    *,
    results: Results | None = None,
    stopped: Asked = never,
) -> None:
    """Write a program that computes the state again; InputError where none can, or it cannot be written.

    results, stopped: as in `write_arrays`.
    """
    from ffn_explorer.state.code.script import script_of

    run = run_with_tensors(state, results or Results())
    program = script_of(state, run, dialect, name=path.name)
    if not stopped():
        write_bytes(program.encode("utf-8", "backslashreplace"), path)


def run_with_tensors(state: AppState, results: Results) -> RunResult:
    """The pass of a state with its tensors, computed anew where only its picture is there."""
    request = run_of(state)
    found = results.get(request)
    if isinstance(found, RunResult) and found.run is not None:
        return found
    made = compute(request, Results())
    assert isinstance(made, RunResult)
    return made
