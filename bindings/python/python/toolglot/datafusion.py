"""DataFusion: `ctx.register_udf(toolglot.datafusion.parse_udf())`, then `SELECT toolglot(text) FROM answers`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow

from ._read import parse_array
from ._settings import ColumnOptions, column_spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack


@column_spelled_out
def parse_udf(name: str = "toolglot", **how: Unpack[ColumnOptions]) -> Any:
    """Returns an SQL function that parses a text."""
    from datafusion import udf

    # DataFusion already runs a thread for each processor.
    how.setdefault("threads", 1)

    def read(texts: pyarrow.Array) -> pyarrow.Array:
        return pyarrow.array(parse_array(texts, **how))

    kind = read(pyarrow.array([], pyarrow.string())).type
    return udf(read, [pyarrow.string()], kind, "immutable", name)
