"""Links: what is copied is what is opened, and a link that means anything else is refused in a sentence."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core.errors import InputError
from ffn_explorer.state import links
from ffn_explorer.state.links import is_link, link_of, link_to, meant_by, target_in
from ffn_explorer.state.target import Target
from ffn_explorer.state.text import catalogue

DIGEST = "0123456789abcdef0123456789abcdef"


def refusal(link: str) -> str:
    """Key of the sentence that a link ends with."""
    with pytest.raises(InputError) as caught:
        target_in(link)
    assert caught.value.key in catalogue("en")
    return caught.value.key


def test_a_link_names_file_layer_and_neuron() -> None:
    expert = Target("/x", 3, expert=2, neuron=7)
    assert link_to(expert) == "ffn-explorer:///x?layer=3&expert=2&neuron=7"
    assert target_in(link_to(expert)) == expert
    target = Target("/models/a b/x.gguf", 24, neuron=1005, digest=DIGEST)
    link = link_to(target)
    assert link == f"ffn-explorer:///models/a%20b/x.gguf?layer=24&neuron=1005&digest={DIGEST}"
    assert target_in(link) == target
    assert target_in(f"  {link}\n") == target
    assert target_in("FFN-Explorer:///x.gguf") == Target("/x.gguf")
    assert link_to(Target("/x.gguf")) == "ffn-explorer:///x.gguf"


names = st.text(st.characters(blacklist_characters="/\0", min_codepoint=32), min_size=1).filter(
    lambda name: name not in (".", "..") and not any(ord(c) == 127 or c == "\\" for c in name)
)


@given(
    st.lists(names, min_size=1, max_size=4), st.integers(0, 10**8), st.none() | st.integers(0, 10**8), names
)
def test_whatever_a_file_is_called_its_link_leads_back_to_it(
    parts: list[str], layer: int, neuron: int | None, stack: str
) -> None:
    target = Target("/" + "/".join(parts), layer, stack=stack, neuron=neuron, digest=DIGEST)
    link = link_to(target)
    assert link.isascii()
    assert not set(link) & set(' \n\t"<>\\')
    assert target_in(link) == target


def test_a_name_that_is_no_utf_8_is_carried_too() -> None:
    path = os.fsdecode(b"/models/\xff\xfe.gguf")
    assert target_in(link_to(Target(path))).path == path


def test_paths_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "WINDOWS", True)
    link = link_to(Target("C:\\models\\a b.gguf", 3))
    assert link == "ffn-explorer:///C%3A/models/a%20b.gguf?layer=3"
    for written in (link, "ffn-explorer:///C:/models/a%20b.gguf?layer=3"):
        assert target_in(written) == Target("C:/models/a b.gguf", 3)
    with pytest.raises(InputError) as caught:
        link_to(Target("\\\\server\\share\\x.gguf"))
    assert caught.value.key == "open.link_share"


@pytest.mark.parametrize(
    "link",
    [
        "http://example.com/x.gguf",
        "ffn-explorer:",
        "ffn-explorer:///",
        "ffn-explorer:/x.gguf",
        "ffn-explorer:x.gguf",
        "ffn-explorer://server/share/x.gguf",
        "ffn-explorer:////server/share/x.gguf",
        "ffn-explorer:///%2Fserver/share/x.gguf",
        "ffn-explorer:///models/../../etc/x.gguf",
        "ffn-explorer:///models/%2E%2E/x.gguf",
        "ffn-explorer:///models/..%5Cx.gguf",
        "ffn-explorer:///%5C%5Cserver/x.gguf",
        "ffn-explorer:///a%00b.gguf",
        "ffn-explorer:///a%0Ab.gguf",
        "ffn-explorer:///a\x1bb.gguf",
        "ffn-explorer:///a%FF.gguf",
        "ffn-explorer:///a%zz.gguf",
        "ffn-explorer:///a.gguf#layer=1",
        "ffn-explorer:///a.gguf?layer",
        "ffn-explorer:///a.gguf?layer=",
        "ffn-explorer:///a.gguf?layer=-1",
        "ffn-explorer:///a.gguf?layer=1e3",
        "ffn-explorer:///a.gguf?layer=\uff11",
        "ffn-explorer:///a.gguf?layer=99999999999",
        "ffn-explorer:///a.gguf?layer=1&layer=2",
        "ffn-explorer:///a.gguf?layer=1&&neuron=2",
        "ffn-explorer:///a.gguf?open=/etc/passwd",
        "ffn-explorer:///a.gguf?x=/etc/passwd",
        "ffn-explorer:///a.gguf?digest=xyz",
        f"ffn-explorer:///a.gguf?digest={DIGEST}0",
        "ffn-explorer:///a.gguf?stack=%0A",
        "ffn-explorer:///a.gguf?neuron=%FF",
        "ffn-explorer:///" + "a" * 20_000,
        "ffn-explorer:///a?" + "&".join(f"k{i}=1" for i in range(1_000)),
    ],
)
def test_what_is_no_whole_link_is_refused(link: str) -> None:
    assert refusal(link) == "open.link"


@given(st.text(max_size=60))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    for link in (text, "ffn-explorer:///" + text, "ffn-explorer:///a?" + text):
        with suppress(InputError):
            found = target_in(link)
            assert found.path.startswith("/")
            assert not found.path.startswith("//")
            assert found.correction is None
            assert found.x == ""


def test_what_a_person_types_is_a_link_an_address_or_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    assert meant_by("ffn-explorer:///x.gguf?layer=1") == Target("/x.gguf", 1)
    assert meant_by("file:///models/a%20b.gguf") == Target("/models/a b.gguf")
    assert meant_by("file://localhost/models/x.gguf") == Target("/models/x.gguf")
    assert meant_by(" /models/x.gguf ") == Target("/models/x.gguf")
    assert meant_by("x.gguf") == Target(str(Path.cwd() / "x.gguf"))
    monkeypatch.setenv("HOME", "/somebody")
    assert meant_by("~/x.gguf") == Target("/somebody/x.gguf")


@pytest.mark.parametrize(
    "typed", ["", "  ", "a\nb", "a\0b", "file://server/x.gguf", "~nosuchuser/x.gguf", "a" * 5_000]
)
def test_what_is_nothing_of_these_is_refused(typed: str) -> None:
    with pytest.raises(InputError) as caught:
        meant_by(typed)
    assert caught.value.key == "open.no_path"


def test_a_link_is_known_by_its_beginning_alone() -> None:
    assert is_link(" ffn-explorer://whatever")
    assert is_link("FFN-EXPLORER:")
    assert not is_link("/models/ffn-explorer:x")


def test_without_a_file_there_is_no_link() -> None:
    from ffn_explorer.state.app_state import AppState, Opened, Selection

    state = AppState()
    assert link_of(state) is None
    opened = replace(state, source=replace(state.source, opened=Opened("/m/x.gguf", DIGEST)))
    assert link_of(opened) == f"ffn-explorer:///m/x.gguf?layer=0&digest={DIGEST}"
    chosen = replace(opened, selection=Selection(neuron=7))
    assert link_of(chosen) == f"ffn-explorer:///m/x.gguf?layer=0&neuron=7&digest={DIGEST}"
