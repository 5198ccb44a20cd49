"""verl: `VERL_USE_EXTERNAL_MODULES=toolglot.verl` and `actor_rollout_ref.rollout.multi_turn.format=toolglot`.

`toolglot_hermes` and so on read one dialect. Malformed calls are not run and never cause an error; `toolglot.spans` returns
their positions, for rewards and loss masks.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from verl.experimental.agent_loop.tool_parser import FunctionCall, ToolParser

from ._host import content_of, dialect_of, parser_names, whole


class ToolglotToolParser(ToolParser):  # type: ignore[misc]
    """Parses a sampled answer."""

    dialect: Any = None

    async def extract_tool_calls(
        self, responses_ids: list[int], tools: list[Any] | None = None
    ) -> tuple[str, list[FunctionCall]]:
        decode = partial(self.tokenizer.decode, responses_ids, skip_special_tokens=False)
        text = await asyncio.get_running_loop().run_in_executor(None, decode)
        message = whole(text, tools, self.dialect)
        calls = [
            FunctionCall(name=call.name, arguments=call.arguments, tool_call_id=call.id) for call in message.calls
        ]
        return content_of(message), calls


for _name in parser_names():
    ToolParser.register(_name)(type(f"Toolglot_{_name}", (ToolglotToolParser,), {"dialect": dialect_of(_name)}))
