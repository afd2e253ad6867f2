"""Deadlines, and the few places where time itself is what a test is about."""

import threading
import time


class Deadline:
    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    @property
    def left(self):
        return max(self.end - time.monotonic(), 0)

    @property
    def passed(self):
        return time.monotonic() >= self.end


def elapse(seconds):
    """Lets time pass, because the passing is what is measured (a stall, an idle window)."""
    threading.Event().wait(seconds)


def until(condition, seconds, step=0.005):
    """Polls a condition that nothing announces (a figure in /proc); gives its last value."""
    deadline = Deadline(seconds)
    while True:
        value = condition()
        if value or deadline.passed:
            return value
        elapse(step)
