"""Grammars: what the library makes of each request, the package makes, too."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import toolglot

GRAMMARS = Path(os.environ.get("TOOLGLOT_GRAMMARS", "grammars.json"))


def cases() -> list[dict[str, Any]]:
    if not GRAMMARS.is_file():
        pytest.exit(f"there are no grammars at {GRAMMARS}; write them with `cargo xtask grammars`", returncode=2)
    found: list[dict[str, Any]] = json.loads(GRAMMARS.read_text(encoding="utf-8"))
    return found


def test_every_grammar_is_the_librarys() -> None:
    for case in cases():
        if "error" in case:
            with pytest.raises(toolglot.GrammarError) as raised:
                toolglot.grammar(case["dialect"], case["tools"], **case["options"])
            assert str(raised.value) == case["error"]
            continue
        made, wanted = toolglot.grammar(case["dialect"], case["tools"], **case["options"]), case["grammar"]
        found = {"text": made.text, "body": made.body, "trigger": made.trigger}
        found |= {"preserved_tokens": list(made.preserved_tokens), "warnings": list(made.warnings)}
        assert found == wanted, (case["dialect"], case["options"])


def test_tools_of_any_kind_in_their_order() -> None:
    def search(query: str, limit: int = 3, exact: bool = False) -> str:
        """Searches."""
        return query

    text = toolglot.grammar("hermes", [search], tool_choice="required").text
    assert text.index("query") < text.index("limit") < text.index("exact")


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"form": "ebnf"}, toolglot.ToolglotError, "use gbnf, lark"),
        ({"tool_choice": "rm"}, toolglot.GrammarError, "declared tools: get_weather"),
        ({"parallel": "no"}, TypeError, "`parallel` must be `true` or `false`"),
        ({"answer": {"uniqueItems": True, "type": "array"}, "strict": True}, toolglot.GrammarError, "uniqueItems"),
        ({"paralel": False}, TypeError, "paralel"),
    ],
)
def test_what_cannot_be_made_says_why(options: Any, kind: type[Exception], words: str, weather: Any) -> None:
    with pytest.raises(kind, match=words):
        toolglot.grammar("hermes", weather, **options)


def test_one_dialect_is_needed(weather: Any) -> None:
    with pytest.raises(toolglot.ToolglotError, match="exactly one dialect"):
        toolglot.grammar(None, weather)
