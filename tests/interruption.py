"""Interrupt a fit at a known step."""

from __future__ import annotations


def stop_at(stage, done, times=1):
    """A listener that interrupts when a stage has done so much, for the nth time."""
    seen = []

    def stop(progress):
        if progress.stage == stage and progress.done == done:
            seen.append(progress)
            if len(seen) == times:
                raise KeyboardInterrupt

    return stop
