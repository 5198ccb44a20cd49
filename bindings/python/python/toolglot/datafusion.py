"""DataFusion: `ctx.register_udf(toolglot.datafusion.parse_udf())`, then `SELECT toolglot(text) FROM answers`."""

from __future__ import annotations

from typing import Any

import pyarrow

from ._read import parse_array


def parse_udf(name: str = "toolglot", **how: Any) -> Any:
    """Returns a function of SQL that reads a text; `how` as in `toolglot.parse_array`."""
    from datafusion import udf

    def read(texts: pyarrow.Array) -> pyarrow.Array:
        return pyarrow.array(parse_array(texts, **how))

    kind = read(pyarrow.array([], pyarrow.string())).type
    return udf(read, [pyarrow.string()], kind, "immutable", name)
