"""DuckDB: `toolglot.duckdb.register(con)`, then `SELECT toolglot(text).calls FROM answers`."""

from __future__ import annotations

from typing import Any

import pyarrow

from ._read import parse_array

_CALL = "STRUCT(id VARCHAR, name VARCHAR, arguments VARCHAR)[]"
_INCOMPLETE = "STRUCT(name VARCHAR, arguments VARCHAR, text VARCHAR, outcome VARCHAR)[]"
_DIAGNOSTIC = 'STRUCT(code VARCHAR, message VARCHAR, "start" BIGINT, "end" BIGINT)[]'
_MESSAGE = (
    f"STRUCT(content VARCHAR, reasoning VARCHAR, calls {_CALL}, incomplete {_INCOMPLETE}, finish_reason VARCHAR, "
    f"dialect VARCHAR, diagnostics {_DIAGNOSTIC})"
)


def register(connection: Any, name: str = "toolglot", **how: Any) -> None:
    """Makes a function of SQL that reads a text; `how` as in `toolglot.parse_array`."""

    def read(texts: Any) -> Any:
        return pyarrow.array(parse_array(texts, **how))

    kind = connection.type(_MESSAGE) if hasattr(connection, "type") else _MESSAGE
    connection.create_function(name, read, ["VARCHAR"], kind, type="arrow", null_handling="special")
