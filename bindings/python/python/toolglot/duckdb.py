"""DuckDB: `toolglot.duckdb.register(con)`, then `SELECT toolglot(text).calls FROM answers`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow

from ._read import parse_array
from ._settings import ColumnOptions, column_spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack

_CALL = "STRUCT(id VARCHAR, name VARCHAR, arguments VARCHAR)[]"
_INCOMPLETE = "STRUCT(name VARCHAR, arguments VARCHAR, text VARCHAR, outcome VARCHAR)[]"
_DIAGNOSTIC = 'STRUCT(code VARCHAR, message VARCHAR, "start" BIGINT, "end" BIGINT)[]'
_MESSAGE = (
    f"STRUCT(content VARCHAR, reasoning VARCHAR, calls {_CALL}, incomplete {_INCOMPLETE}, finish_reason VARCHAR, "
    f"dialect VARCHAR, diagnostics {_DIAGNOSTIC})"
)


@column_spelled_out
def register(connection: Any, name: str = "toolglot", **how: Unpack[ColumnOptions]) -> None:
    """Registers an SQL function that parses a text."""

    def read(texts: Any) -> Any:
        return pyarrow.array(parse_array(texts, **how))

    kind = connection.type(_MESSAGE) if hasattr(connection, "type") else _MESSAGE
    connection.create_function(name, read, ["VARCHAR"], kind, type="arrow", null_handling="special")
