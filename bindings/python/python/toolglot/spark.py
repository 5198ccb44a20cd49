"""Spark: `toolglot.spark.parse(df, "text")` adds a column of messages; `parse_udf()` is a function of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow

from ._read import parse_array
from ._settings import DialectLike
from ._tools import Tools

_CALL = "struct<id: string, name: string, arguments: string>"
_INCOMPLETE = "struct<name: string, arguments: string, text: string, outcome: string>"
_DIAGNOSTIC = "struct<code: string, message: string, start: bigint, end: bigint>"

#: The type of the column, as Spark writes it.
MESSAGE = (
    f"struct<content: string, reasoning: string, calls: array<{_CALL}>, incomplete: array<{_INCOMPLETE}>, "
    f"finish_reason: string, dialect: string, diagnostics: array<{_DIAGNOSTIC}>>"
)


def batches(
    column: str, *, tools: Any = None, tools_column: str | None = None, dialect: DialectLike = None, **choices: Any
) -> Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    """Returns a function for `mapInArrow`: each batch with a column `message` behind its own."""
    declared = Tools(tools).json if tools is not None else None

    def read(some: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in some:
            given = batch.column(tools_column) if tools_column else declared
            found = pyarrow.array(parse_array(batch.column(column), tools=given, dialect=dialect, **choices))
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, found], [*batch.schema.names, "message"])

    return read


def parse(df: Any, column: str, **how: Any) -> Any:
    """Returns a data frame with a column `message`; `how` as in `batches`."""
    from pyspark.sql.types import StructType, _parse_datatype_string

    schema = StructType([*df.schema.fields]).add("message", _parse_datatype_string(MESSAGE))
    return df.mapInArrow(batches(column, **how), schema)


def parse_udf(*, tools: Any = None, dialect: DialectLike = None, **choices: Any) -> Any:
    """Returns a user-defined function of a column of texts, for Spark 4.1 and later."""
    from pyspark.sql.functions import arrow_udf

    declared = Tools(tools).json if tools is not None else None

    def read(texts: pyarrow.Array) -> pyarrow.Array:
        return pyarrow.array(parse_array(texts, tools=declared, dialect=dialect, **choices))

    read.__annotations__ = {"texts": pyarrow.Array, "return": pyarrow.Array}
    return arrow_udf(read, returnType=MESSAGE)
