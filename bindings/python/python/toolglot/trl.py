"""TRL: `toolglot.trl.use(tokenizer)` before creating a trainer, and a reward for complete calls."""

from __future__ import annotations

from typing import Any

from .spans import calls
from .transformers import use

__all__ = ["use", "wellformed_reward"]


def wellformed_reward(completions: list[Any], **_: Any) -> list[float]:
    """Returns the share of complete calls for each completion; 1 if it has no calls."""
    rewards = []
    for completion in completions:
        text = completion if isinstance(completion, str) else "".join(str(m.get("content") or "") for m in completion)
        found = calls(text)
        rewards.append(sum(call.finished for call in found) / len(found) if found else 1.0)
    return rewards
