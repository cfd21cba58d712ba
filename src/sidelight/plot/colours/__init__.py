"""Which colour each point gets, and the key that explains it."""

from __future__ import annotations

from sidelight.plot.colours.colouring import Colouring, KeyEntry, choose_colours
from sidelight.plot.colours.key import draw_key, key_width
from sidelight.plot.colours.scale import Scale

__all__ = ["Colouring", "KeyEntry", "Scale", "choose_colours", "draw_key", "key_width"]
