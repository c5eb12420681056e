"""The loader: few runs for many changes, the newest wins, and nothing is left running."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from ffn_explorer.app.loader import BUSY_MS, SETTLE_MS, Loader
from ffn_explorer.core.errors import MemoryRefusal
from ffn_explorer.core.records import PositionCheck
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.compute import Cancelled
from ffn_explorer.state.requests import PositionRequest, Request, RunRequest, run_of
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.results import Failure, Results
from ffn_explorer.state.text import Text, text


class Bench:
    """A loader whose computing is a stand-in that notes what it was asked, and how it ended."""

    def __init__(self) -> None:
        """Build it; `act` is what computing does."""
        self.results = Results()
        self.started: list[Request] = []
        self.cancelled: list[Request] = []
        self.act: Callable[[Callable[[], bool]], None] = lambda _cancelled: None
        self.prepared = threading.Event()
        self.loader = Loader(self.results, compute=self.compute, needs=self.needs, prepare=self.prepared.set)
        self.busy: list[Text | None] = []
        self.failures: list[tuple[Text, str]] = []
        self.loader.busy_changed.connect(self.busy.append)
        self.loader.failed.connect(lambda said, details: self.failures.append((said, details)))

    def needs(
        self, state: AppState, results: Results, _shown: RunResult | None = None
    ) -> tuple[Request, ...]:
        """The run, then its position check."""
        run = run_of(state)
        wanted: tuple[Request, ...] = (run, PositionRequest(run)) if results.get(run) else (run,)
        return tuple(request for request in wanted if results.get(request) is None)

    def compute(
        self,
        request: Request,
        _results: Results,
        *,
        cancelled: Callable[[], bool],
        told: Callable[[float], None],
    ) -> PositionCheck:
        """Note the request and do what the test wants."""
        self.told = told
        self.started.append(request)
        try:
            self.act(cancelled)
        except Cancelled:
            self.cancelled.append(request)
            raise
        return PositionCheck(0.0, 0.0, 1.0, "float32")

    def has(self, state: AppState) -> bool:
        """Whether all that a state needs is there."""
        return not self.needs(state, self.results)

    @property
    def runs(self) -> list[Request]:
        """Runs that were started."""
        return [request for request in self.started if isinstance(request, RunRequest)]


@pytest.fixture
def bench(qtbot: QtBot) -> Iterator[Bench]:
    made = Bench()
    yield made
    assert made.loader.close()


@pytest.fixture
def warm(bench: Bench, qtbot: QtBot) -> Bench:
    with qtbot.waitSignal(bench.loader.arrived):
        bench.loader.warm_up()
    return bench


def wide(d_ff: int) -> AppState:
    return changes.set_setting("d_ff", d_ff).to(AppState())


def until_cancelled(cancelled: Callable[[], bool]) -> None:
    while not cancelled():
        time.sleep(0.002)
    raise Cancelled


def waiting_for(hold: threading.Event) -> Callable[[Callable[[], bool]], None]:
    def wait(_cancelled: Callable[[], bool]) -> None:
        hold.wait(30)

    return wait


def test_nothing_is_computed_before_the_first_picture(bench: Bench, qtbot: QtBot) -> None:
    bench.loader.want(AppState())
    QTest.qWait(3 * SETTLE_MS)
    assert bench.started == []
    assert not bench.prepared.is_set()
    bench.loader.warm_up()
    qtbot.waitUntil(lambda: bench.has(AppState()))
    assert bench.prepared.is_set()


def test_what_preparing_finds_is_told(qtbot: QtBot) -> None:
    loader = Loader(Results(), prepare=lambda: ("cpu", "cuda:0"))
    with qtbot.waitSignal(loader.ready) as caught:
        loader.warm_up()
    assert caught.args == [("cpu", "cuda:0")]
    assert loader.close()


def test_computing_happens_on_another_thread_and_in_order(warm: Bench, qtbot: QtBot) -> None:
    threads: set[int] = set()
    warm.act = lambda _cancelled: threads.add(threading.get_ident())
    warm.loader.want(AppState())
    qtbot.waitUntil(lambda: warm.has(AppState()))
    assert warm.started == [run_of(AppState()), PositionRequest(run_of(AppState()))]
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_a_hundred_quick_changes_lead_to_few_runs_and_the_last_one_wins(warm: Bench, qtbot: QtBot) -> None:
    warm.act = lambda _cancelled: time.sleep(0.02)
    for d_ff in range(1, 101):
        warm.loader.want(wide(d_ff))
        QTest.qWait(3)
    qtbot.waitUntil(lambda: warm.has(wide(100)))
    assert warm.runs[-1] == run_of(wide(100))
    assert len(warm.runs) <= 6


def test_a_knob_that_keeps_moving_is_followed(warm: Bench, qtbot: QtBot) -> None:
    deadline = time.monotonic() + 2.0
    d_ff = 0
    while not warm.runs and time.monotonic() < deadline:
        d_ff += 1
        warm.loader.want(wide(d_ff))
        QTest.qWait(5)
    assert warm.runs


def test_work_that_nobody_wants_any_more_is_cancelled_and_its_answer_dropped(
    warm: Bench, qtbot: QtBot
) -> None:
    warm.act = until_cancelled
    warm.loader.want(wide(1))
    qtbot.waitUntil(lambda: bool(warm.started))
    warm.act = lambda _cancelled: None
    warm.loader.want(wide(2))
    qtbot.waitUntil(lambda: warm.has(wide(2)))
    assert warm.cancelled == [run_of(wide(1))]
    assert warm.results.get(run_of(wide(1))) is None


def test_an_answer_that_ignored_its_cancel_flag_is_dropped_too(warm: Bench, qtbot: QtBot) -> None:
    hold = threading.Event()
    warm.act = waiting_for(hold)
    warm.loader.want(wide(1))
    qtbot.waitUntil(lambda: bool(warm.started))
    warm.loader.want(wide(2))
    hold.set()
    qtbot.waitUntil(lambda: warm.has(wide(2)))
    assert warm.results.get(run_of(wide(1))) is None


def test_work_that_is_still_wanted_goes_on(warm: Bench, qtbot: QtBot) -> None:
    hold = threading.Event()
    warm.act = waiting_for(hold)
    warm.loader.want(AppState())
    qtbot.waitUntil(lambda: bool(warm.started))
    warm.loader.want(changes.select_token(2).to(AppState()))
    hold.set()
    qtbot.waitUntil(lambda: warm.has(AppState()))
    assert len(warm.runs) == 1


def test_long_work_is_announced_and_the_announcement_taken_back(warm: Bench, qtbot: QtBot) -> None:
    warm.act = lambda _cancelled: time.sleep(1.5 * BUSY_MS / 1_000)
    warm.loader.want(AppState())
    qtbot.waitUntil(lambda: warm.has(AppState()))
    assert warm.busy[0] == Text("job.run")
    qtbot.waitUntil(lambda: warm.busy[-1] is None)


def test_short_work_is_not_announced(warm: Bench, qtbot: QtBot) -> None:
    warm.loader.want(AppState())
    qtbot.waitUntil(lambda: warm.has(AppState()))
    QTest.qWait(BUSY_MS + 50)
    assert warm.busy == []


def share(key: str, said: str) -> Text:
    """What is announced of a job that tells how much of it is done."""
    return text("job.share", what=text(key), share=said)


def test_long_work_tells_how_much_of_it_is_done(warm: Bench, qtbot: QtBot) -> None:
    go_on, hold = threading.Event(), threading.Event()

    def work(_cancelled: Callable[[], bool]) -> None:
        if len(warm.started) == 1:
            warm.told(0.25)
            go_on.wait(30)
            warm.told(0.5)
            hold.wait(30)

    warm.act = work
    warm.loader.want(AppState())
    qtbot.waitUntil(lambda: bool(warm.busy))
    assert warm.busy == [share("job.run", "25.0 %")], "told before it is announced, and never alone"
    go_on.set()
    qtbot.waitUntil(lambda: warm.busy[-1] == share("job.run", "50.0 %"))
    hold.set()
    qtbot.waitUntil(lambda: warm.busy[-1] is None)
    assert len(warm.busy) == 3


def test_short_work_that_tells_is_not_announced_either(warm: Bench, qtbot: QtBot) -> None:
    warm.act = lambda _cancelled: warm.told(0.5)
    warm.loader.want(AppState())
    qtbot.waitUntil(lambda: warm.has(AppState()))
    QTest.qWait(BUSY_MS + 50)
    assert warm.busy == []


def test_what_a_job_tells_after_its_end_does_not_reach_the_next(warm: Bench, qtbot: QtBot) -> None:
    hold, told = threading.Event(), []

    def work(_cancelled: Callable[[], bool]) -> None:
        told.append(warm.told)
        if len(told) == 1:
            warm.told(0.75)
        else:
            hold.wait(30)

    warm.act = work
    warm.loader.want(AppState())
    qtbot.waitUntil(lambda: bool(warm.busy))
    assert warm.started == [run_of(AppState()), PositionRequest(run_of(AppState()))]
    told[0](0.9)
    QTest.qWait(50)
    assert warm.busy == [Text("job.position")]
    told[1](0.1)
    qtbot.waitUntil(lambda: warm.busy[-1] == share("job.position", "10.0 %"))
    hold.set()
    qtbot.waitUntil(lambda: warm.busy[-1] is None)


def test_a_person_can_stop_work_and_take_it_up_by_coming_back(warm: Bench, qtbot: QtBot) -> None:
    warm.act = until_cancelled
    warm.loader.want(wide(1))
    qtbot.waitUntil(lambda: bool(warm.started))
    assert warm.loader.cancel()
    qtbot.waitUntil(lambda: isinstance(warm.results.get(run_of(wide(1))), Failure))
    assert warm.results.get(run_of(wide(1))) == Failure(Text("window.stopped"))
    warm.act = lambda _cancelled: None
    warm.loader.want(wide(2))
    qtbot.waitUntil(lambda: warm.has(wide(2)))
    warm.loader.want(wide(1))
    qtbot.waitUntil(lambda: isinstance(warm.results.get(run_of(wide(1))), PositionCheck))
    assert not warm.loader.cancel()


def test_a_refusal_becomes_its_sentence(warm: Bench, qtbot: QtBot) -> None:
    def refuse(_cancelled: Callable[[], bool]) -> None:
        raise MemoryRefusal("error.memory", needed=2, free=1)

    warm.act = refuse
    warm.loader.want(AppState())
    qtbot.waitUntil(lambda: warm.results.get(run_of(AppState())) is not None)
    said = Text("error.memory", (("needed", 2), ("free", 1)))
    assert warm.results.get(run_of(AppState())) == Failure(said)
    assert warm.failures == []


def test_a_defect_is_reported_with_details_and_the_loader_lives_on(
    warm: Bench, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(_cancelled: Callable[[], bool]) -> None:
        raise ZeroDivisionError("not foreseen")

    warm.act = break_down
    warm.loader.want(wide(1))
    qtbot.waitUntil(lambda: bool(warm.failures))
    said, details = warm.failures[0]
    assert said.key == "window.unexpected"
    assert "ZeroDivisionError: not foreseen" in details
    assert "break_down" in details
    assert "ZeroDivisionError" in caplog.text
    warm.act = lambda _cancelled: None
    warm.loader.want(wide(2))
    qtbot.waitUntil(lambda: isinstance(warm.results.get(run_of(wide(2))), PositionCheck))


def test_closing_stops_running_work(qtbot: QtBot) -> None:
    bench = Bench()
    with qtbot.waitSignal(bench.loader.arrived):
        bench.loader.warm_up()
    bench.act = until_cancelled
    bench.loader.want(AppState())
    qtbot.waitUntil(lambda: bool(bench.started))
    start = time.monotonic()
    assert bench.loader.close()
    assert time.monotonic() - start < 1.0
    assert bench.cancelled == [run_of(AppState())]


def test_closing_does_not_wait_for_ever(qtbot: QtBot) -> None:
    bench = Bench()
    hold = threading.Event()
    with qtbot.waitSignal(bench.loader.arrived):
        bench.loader.warm_up()
    bench.act = waiting_for(hold)
    bench.loader.want(AppState())
    qtbot.waitUntil(lambda: bool(bench.started))
    assert not bench.loader.close(patience_s=0.1)
    hold.set()
