"""Polars: `df.with_columns(pl.col("text").toolglot.parse().alias("message"))` after `import toolglot.polars`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars

from ._read import parse_array
from ._settings import ColumnOptions, column_spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _dtype() -> polars.DataType:
    return polars.Series(parse_array(polars.Series([], dtype=polars.String))).dtype


@polars.api.register_series_namespace("toolglot")
class SeriesNamespace:
    """`series.toolglot`."""

    def __init__(self, series: polars.Series) -> None:
        self._series = series

    @column_spelled_out
    def parse(self, **how: Unpack[ColumnOptions]) -> polars.Series:
        """Returns the messages of a series of texts."""
        return polars.Series(self._series.name, parse_array(self._series, **how))


@polars.api.register_expr_namespace("toolglot")
class ExprNamespace:
    """`expr.toolglot`."""

    def __init__(self, expr: polars.Expr) -> None:
        self._expr = expr

    @column_spelled_out
    def parse(self, **how: Unpack[ColumnOptions]) -> polars.Expr:
        """Parses every text."""
        return self._expr.map_batches(
            lambda series: SeriesNamespace(series).parse(**how), return_dtype=_dtype(), is_elementwise=True
        )
