"""Layouts as values: panels that stand in for each other, and what a damaged file makes of them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.panels.table import PANELS
from ffn_explorer.state.layouts import (
    FIXED,
    LAYOUTS,
    PANEL_GROUPS,
    Layout,
    from_json,
    panels_of,
    sizes_of,
    swapped,
    to_json,
    with_panels,
    with_sizes,
)

FREE = [name for group in PANEL_GROUPS.values() for name in group]
names = st.sampled_from([*FREE, *FIXED])
layouts = st.sampled_from(list(LAYOUTS.values()))
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**9) | st.text(max_size=5) | names,
    lambda inner: st.lists(inner, max_size=7) | st.dictionaries(st.sampled_from(["panels", "sizes"]), inner),
    max_leaves=20,
)


def test_every_panel_has_its_place_among_the_groups_once() -> None:
    assert len(set(FREE)) == len(FREE)
    assert set(PANELS) <= {*FREE, *FIXED}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_every_layout_begins_with_the_tokens_and_ends_with_the_transport(layout: Layout) -> None:
    places = panels_of(layout)
    assert (places[0], places[-1]) == ("chips", "transport")
    assert FIXED.isdisjoint(places[1:-1])


@given(layouts, names, names)
def test_no_panel_comes_to_stand_twice_and_fixed_ones_stay(layout: Layout, old: str, new: str) -> None:
    found = panels_of(swapped(layout, old, new))
    assert len(set(found)) == len(found)
    assert (found[0], found[-1]) == ("chips", "transport")


@given(layouts, st.data())
def test_panels_that_exchange_places_come_back(layout: Layout, data: st.DataObject) -> None:
    there = [name for name in panels_of(layout) if name not in FIXED]
    one, other = data.draw(st.sampled_from(there)), data.draw(st.sampled_from(FREE))
    new = swapped(layout, one, other)
    if one != other:
        assert panels_of(new).index(other) == panels_of(layout).index(one)
    assert swapped(new, other, one) == layout


@given(layouts, st.permutations(FREE), st.data())
def test_what_was_written_is_read_again(layout: Layout, order: list[str], data: st.DataObject) -> None:
    slots = len(panels_of(layout)) - 2
    changed = with_panels(layout, ["chips", *order[:slots], "transport"])
    sizes = [
        data.draw(st.lists(st.integers(1, 999), min_size=len(s), max_size=len(s))) for s in sizes_of(layout)
    ]
    changed = with_sizes(changed, sizes)
    assert from_json(layout, to_json(changed), known=[*FREE, *FIXED]) == changed


@given(layouts, plain)
def test_whatever_a_file_says_the_board_can_be_built(layout: Layout, data: Any) -> None:
    found = from_json(layout, data, known=PANELS)
    places = panels_of(found)
    assert len(places) == len(panels_of(layout)) == len(set(places))
    assert set(places) <= {*PANELS, *panels_of(layout)}
    assert (places[0], places[-1]) == ("chips", "transport")
    assert all(size > 0 for sizes in sizes_of(found) for size in sizes)


def test_an_unknown_panel_leaves_its_slot_as_it_came_and_the_others_are_taken() -> None:
    layout = LAYOUTS["explore"]
    wanted = list(panels_of(layout))
    wanted[1], wanted[2] = "from the future", "code"
    places = panels_of(from_json(layout, {"panels": wanted}, known=PANELS))
    assert places[1:3] == (panels_of(layout)[1], "code")
    assert places[3:] == panels_of(layout)[3:]
