"""Inspect AI: `--model toolglot/PROVIDER/MODEL` parses calls in any provider's text."""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatMessageAssistant, GenerateConfig, Model, ModelAPI, get_model, modelapi
from inspect_ai.model._call_tools import parse_tool_call

from ._host import content_of, whole
from ._settings import DialectLike


def read(message: ChatMessageAssistant, tools: list[Any], dialect: DialectLike = None) -> ChatMessageAssistant:
    """Returns a message with the calls in its text; a message with native calls is returned unchanged."""
    if message.tool_calls or not message.text:
        return message
    found = whole(message.text, [_declared(tool) for tool in tools], dialect)
    if not found.calls and not found.incomplete:
        return message
    calls = [parse_tool_call(call.id, call.name, call.arguments, tools) for call in found.calls]
    return message.model_copy(update={"content": content_of(found), "tool_calls": calls or None})


def _declared(tool: Any) -> dict[str, Any]:
    parameters = tool.parameters.model_dump(exclude_none=True)
    return {"name": tool.name, "description": tool.description, "parameters": parameters}


@modelapi(name="toolglot")
def toolglot() -> type[ModelAPI]:
    """Creates a provider that wraps another one."""

    class ToolglotAPI(ModelAPI):  # type: ignore[misc]
        def __init__(
            self,
            model_name: str,
            base_url: str | None = None,
            api_key: str | None = None,
            config: GenerateConfig = GenerateConfig(),  # noqa: B008  (as Inspect declares it)
            dialect: str | None = None,
            **model_args: Any,
        ) -> None:
            super().__init__(model_name, base_url, api_key, [], config)
            self._inner: Model = get_model(
                model_name, base_url=base_url, api_key=api_key, config=config, memoize=False, **model_args
            )
            self._dialect = dialect

        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> Any:
            result = await self._inner.api.generate(input, tools, tool_choice, config)
            output, *call = result if isinstance(result, tuple) else (result,)
            for choice in getattr(output, "choices", ()):
                choice.message = read(choice.message, tools, self._dialect)
                if choice.message.tool_calls and choice.stop_reason == "stop":
                    choice.stop_reason = "tool_calls"
            return (output, *call) if call else output

    return ToolglotAPI
