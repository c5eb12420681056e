"""The board: panels in their places, fed with Scenes, in the window and in exports alike."""

from ffn_explorer.board.board import Board

__all__ = ["Board"]
