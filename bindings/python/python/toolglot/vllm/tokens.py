"""Finds the special tokens in a text; only they can be markers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._native import Dialects


class Specials:
    """The special tokens of a tokenizer that are markers, and those whose text has not arrived yet."""

    __slots__ = ("_by_id", "_held", "_waiting")

    def __init__(self, by_id: Mapping[int, str]) -> None:
        self._by_id = by_id
        self._waiting: deque[str] = deque()
        self._held = ""

    @classmethod
    def of(cls, tokenizer: Any, known: Dialects) -> Specials | None:
        """Returns the special tokens, if the tokenizer has all that the one dialect calls special.

        Of several dialects the others' markers could not be seen any more; then what is spelled counts.
        """
        if len(known) != 1 or not known[0].special:
            return None
        try:
            vocab = tokenizer.get_vocab()
        except Exception:  # No usable tokenizer: markers are found by their text.
            return None
        markers = known[0].special
        if not all(marker in vocab for marker in markers):
            return None
        return cls({vocab[marker]: marker for marker in markers})

    def part(self, text: str, ids: Sequence[int], finished: bool) -> Iterator[tuple[bool, str]]:
        """Splits a text into special tokens and other pieces.

        The text of a token may come later than its id, since the engine holds some back.
        """
        self._waiting.extend(self._by_id[token] for token in ids if token in self._by_id)
        text, self._held = self._held + text, ""
        while self._waiting:
            marker = self._waiting[0]
            # The text occurs more often than the token: the last occurrences are the tokens.
            spare = max(text.count(marker) - self._waiting.count(marker), 0)
            at = -1
            for _ in range(spare + 1):
                at = text.find(marker, at + 1)
            if at < 0:
                break
            if at:
                yield False, text[:at]
            yield True, marker
            self._waiting.popleft()
            text = text[at + len(marker) :]
        if self._waiting and not finished:
            keep = _overlap(text, self._waiting[0])
            text, self._held = text[: len(text) - keep], text[len(text) - keep :]
        if text:
            yield False, text


def _overlap(text: str, marker: str) -> int:
    """Returns the length of the end of a text that may be the beginning of a marker."""
    return next((size for size in range(min(len(text), len(marker) - 1), 0, -1) if marker.startswith(text[-size:])), 0)
