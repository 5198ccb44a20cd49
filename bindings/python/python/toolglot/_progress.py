"""How far a long run is, on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Sized

#: Seconds between two reports to a terminal, whose line is written again, and to a file, where each stays.
_TERMINAL, _FILE = 0.2, 10.0


class Progress:
    """Reports how many texts of a run were read, of how many if that is known, and how fast."""

    def __init__(self, texts: object) -> None:
        self._total = f" of {len(texts):,}" if isinstance(texts, Sized) else ""
        self._started = self._told = time.monotonic()

    def tell(self, done: int) -> None:
        """Reports from time to time."""
        now = time.monotonic()
        if now - self._told >= (_TERMINAL if sys.stderr.isatty() else _FILE):
            self._told = now
            self._write(done, "")

    def end(self, done: int) -> None:
        """Reports for the last time."""
        self._write(done, "\n")

    def _write(self, done: int, end: str) -> None:
        took = max(time.monotonic() - self._started, 1e-6)
        line = f"toolglot: {done:,}{self._total} texts, {done / took:,.0f} a second"
        terminal = sys.stderr.isatty()
        print(f"\r{line}\x1b[K" if terminal else line, end=end if terminal else "\n", file=sys.stderr, flush=True)
