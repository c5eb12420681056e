"""What can be known of words on screen without looking: room, names for screen readers, sizes, overlaps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible, QFontMetrics
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QGraphicsView,
    QLabel,
    QLineEdit,
    QScrollArea,
    QScrollBar,
    QSplitterHandle,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)

from ffn_explorer.widgets.hint_label import HintLabel
from ffn_explorer.widgets.labels import ElidedLabel

TOUCH_PX = 1
"""Neighbours may share this much: fonts round their widths up."""


def seen(window: QWidget) -> list[QWidget]:
    """Return the widgets that can be seen in a window."""
    return [
        w
        for w in window.findChildren(QWidget)
        if w.isVisibleTo(window) and w.window() is window and w.width()
    ]


def title(widget: QWidget) -> str:
    """Name a widget so that a person finds it."""
    owner = type(widget.parent()).__name__
    return f"{type(widget).__name__} {widget.objectName() or widget.accessibleName()!r} in {owner}"


def cramped(window: QWidget) -> Iterator[str]:
    """Name the widgets whose text has less room than it needs, and no tooltip that tells it.

    A hint without room is not painted at all.
    """
    for widget in seen(window):
        if isinstance(widget, QLabel) and widget.wordWrap():
            if widget.heightForWidth(widget.width()) > widget.height():
                yield f"{title(widget)}: {widget.height()} px for {widget.text()!r}"
            continue
        text, room = text_and_room(widget)
        metrics = QFontMetrics(widget.font())
        lines = text.splitlines() or [""]
        wanted = max(metrics.horizontalAdvance(line) for line in lines)
        told = isinstance(widget, HintLabel) or (
            isinstance(widget, ElidedLabel | QComboBox) and text in widget.toolTip()
        )
        if wanted > room and not told:
            yield f"{title(widget)}: {room} px for {wanted} px of {text!r}"
        if text and metrics.height() * len(lines) > widget.height() + TOUCH_PX:
            yield f"{title(widget)}: {widget.height()} px high for {text!r}"


def text_and_room(widget: QWidget) -> tuple[str, int]:
    """Return what a widget writes, and the pixels it has for that."""
    if isinstance(widget, QComboBox):
        option = QStyleOptionComboBox()
        widget.initStyleOption(option)
        control, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        field = widget.style().subControlRect(control, option, part, widget)
        return widget.currentText(), field.width()
    if isinstance(widget, QLineEdit):
        return widget.text(), widget.contentsRect().width()
    if isinstance(widget, ElidedLabel):
        return widget.text, widget.width()
    if isinstance(widget, QLabel | QAbstractButton):
        return widget.text().replace("&", ""), widget.contentsRect().width()
    return "", widget.width()


def nameless(window: QWidget) -> Iterator[str]:
    """Name the widgets that the keyboard reaches and a screen reader has no word for."""
    for widget in seen(window):
        if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus or widget.focusProxy() is not None:
            continue
        if isinstance(widget.parent(), QComboBox | QAbstractSpinBox):
            continue  # the field inside speaks with its owner's name
        interface = QAccessible.queryAccessibleInterface(widget)
        if not interface.text(QAccessible.Text.Name).strip():
            yield title(widget)


def small(window: QWidget, least_px: int) -> Iterator[str]:
    """Name the widgets whose text is smaller than allowed."""
    for widget in seen(window):
        text, _ = text_and_room(widget)
        size = widget.fontInfo().pixelSize()
        if text and size < least_px:
            yield f"{title(widget)}: {size} px"


def overlapping(window: QWidget) -> Iterator[str]:
    """Name neighbours that lie over each other, and widgets that stick out of the window."""
    for parent in [window, *seen(window)]:
        if isinstance(parent, QGraphicsView | QComboBox | QAbstractSpinBox | QScrollBar):
            continue
        inside = [
            child
            for child in parent.children()
            if isinstance(child, QWidget)
            and child.isVisibleTo(window)
            and child.window() is window
            and not isinstance(child, QSplitterHandle)
            and child.objectName() != "notice"
        ]
        for one, other in combinations(inside, 2):
            common = one.geometry().intersected(other.geometry())
            if min(common.width(), common.height()) > TOUCH_PX:
                yield f"{title(one)} over {title(other)}"
    whole = QRect(0, 0, window.width(), window.height())
    for widget in seen(window):
        place = QRect(widget.mapTo(window, widget.rect().topLeft()), widget.size())
        if not whole.contains(place) and not scrolled(widget):
            yield f"{title(widget)} leaves the window"


def scrolled(widget: QWidget) -> bool:
    """Say whether a widget lies in an area that scrolls."""
    owner = widget.parentWidget()
    return owner is not None and (isinstance(owner, QScrollArea) or scrolled(owner))
