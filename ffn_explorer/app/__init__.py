"""The Qt shell around the board: window, actions, loader, clock, messages, preferences."""
