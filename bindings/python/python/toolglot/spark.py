"""Spark: `toolglot.spark.parse(df, "text")` adds a column of messages; `parse_udf()` returns a column function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow

from ._read import parse_array
from ._settings import ColumnOptions, column_spelled_out
from ._tools import Tools

if TYPE_CHECKING:
    from typing_extensions import Unpack

_CALL = "struct<id: string, name: string, arguments: string>"
_INCOMPLETE = "struct<name: string, arguments: string, text: string, outcome: string>"
_DIAGNOSTIC = "struct<code: string, message: string, start: bigint, end: bigint>"

#: The column type in Spark's notation.
MESSAGE = (
    f"struct<content: string, reasoning: string, calls: array<{_CALL}>, incomplete: array<{_INCOMPLETE}>, "
    f"finish_reason: string, dialect: string, diagnostics: array<{_DIAGNOSTIC}>>"
)


@column_spelled_out
def batches(
    column: str, *, tools_column: str | None = None, **how: Unpack[ColumnOptions]
) -> Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    """Returns a function for `mapInArrow`: each batch gets an additional column `message` after its own.

    `tools_column` names a column of JSON texts. One thread reads unless `threads` says otherwise: Spark starts a worker for
    each processor.
    """
    declared, how = _sent(how)

    def read(some: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in some:
            given = batch.column(tools_column) if tools_column else declared
            found = pyarrow.array(parse_array(batch.column(column), tools=given, **how))
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, found], [*batch.schema.names, "message"])

    return read


@column_spelled_out
def parse(df: Any, column: str, *, tools_column: str | None = None, **how: Unpack[ColumnOptions]) -> Any:
    """Returns a data frame with a column `message`, as `batches` does."""
    from pyspark.sql.types import StructType, _parse_datatype_string

    schema = StructType([*df.schema.fields]).add("message", _parse_datatype_string(MESSAGE))
    return df.mapInArrow(batches(column, tools_column=tools_column, **how), schema)


@column_spelled_out
def parse_udf(**how: Unpack[ColumnOptions]) -> Any:
    """Returns a user-defined function of a column of texts, for Spark 4.1 and later."""
    from pyspark.sql.functions import arrow_udf

    declared, how = _sent(how)

    def read(texts: pyarrow.Array) -> pyarrow.Array:
        return pyarrow.array(parse_array(texts, tools=declared, **how))

    read.__annotations__ = {"texts": pyarrow.Array, "return": pyarrow.Array}
    return arrow_udf(read, returnType=MESSAGE)


def _sent(how: ColumnOptions) -> tuple[str | None, ColumnOptions]:
    """Returns the options for the workers: tools as text, and one thread each."""
    rest: Any = {"threads": 1, **how}
    tools = rest.pop("tools", None)
    return Tools(tools).json if tools is not None else None, rest
