"""TRL: `toolglot.trl.use(tokenizer)` before a trainer is made, and a reward for calls that can be run."""

from __future__ import annotations

from typing import Any

from .spans import calls
from .transformers import use

__all__ = ["use", "wellformed_reward"]


def wellformed_reward(completions: list[Any], **_: Any) -> list[float]:
    """Returns for each completion the share of its calls that finished; 1 for one without calls."""
    rewards = []
    for completion in completions:
        text = completion if isinstance(completion, str) else "".join(str(m.get("content") or "") for m in completion)
        found = calls(text)
        rewards.append(sum(call.finished for call in found) / len(found) if found else 1.0)
    return rewards
