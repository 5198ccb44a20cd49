"""Progress reports on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Sized

#: Seconds between reports: to a terminal, where the line is overwritten, and to a file.
_TERMINAL, _FILE = 0.2, 10.0


class Progress:
    """Reports the number of texts parsed, the total if known, and the speed."""

    def __init__(self, texts: object) -> None:
        self._total = f" of {len(texts):,}" if isinstance(texts, Sized) else ""
        self._started = self._reported = time.monotonic()

    def update(self, done: int) -> None:
        """Reports if enough time has passed."""
        now = time.monotonic()
        if now - self._reported >= (_TERMINAL if sys.stderr.isatty() else _FILE):
            self._reported = now
            self._write(done, "")

    def end(self, done: int) -> None:
        """Writes the last report."""
        self._write(done, "\n")

    def _write(self, done: int, end: str) -> None:
        took = max(time.monotonic() - self._started, 1e-6)
        line = f"toolglot: {done:,}{self._total} texts, {done / took:,.0f} a second"
        terminal = sys.stderr.isatty()
        print(f"\r{line}\x1b[K" if terminal else line, end=end if terminal else "\n", file=sys.stderr, flush=True)
