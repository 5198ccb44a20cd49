"""Polars: `df.with_columns(pl.col("text").toolglot.parse().alias("message"))` after `import toolglot.polars`."""

from __future__ import annotations

from typing import Any

import polars

from ._read import parse_array


def _dtype() -> polars.DataType:
    return polars.Series(parse_array(polars.Series([], dtype=polars.String))).dtype


@polars.api.register_series_namespace("toolglot")
class SeriesNamespace:
    """`series.toolglot`."""

    def __init__(self, series: polars.Series) -> None:
        self._series = series

    def parse(self, **how: Any) -> polars.Series:
        """Returns the messages of a series of texts; `how` as in `toolglot.parse_array`."""
        return polars.Series(self._series.name, parse_array(self._series, **how))


@polars.api.register_expr_namespace("toolglot")
class ExprNamespace:
    """`expr.toolglot`."""

    def __init__(self, expr: polars.Expr) -> None:
        self._expr = expr

    def parse(self, **how: Any) -> polars.Expr:
        """Reads every text; `how` as in `toolglot.parse_array`."""
        return self._expr.map_batches(
            lambda series: SeriesNamespace(series).parse(**how), return_dtype=_dtype(), is_elementwise=True
        )
