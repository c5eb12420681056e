"""The lecture in the window: its player, the speaker's notes, the blank screen and the pointer."""
