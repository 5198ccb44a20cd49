"""pandas: `df["message"] = toolglot.pandas.parse(df["text"])`, a column of Arrow structs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas
import pyarrow

from ._read import parse_array
from ._settings import ColumnOptions, column_spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack


@column_spelled_out
def parse(texts: pandas.Series, **how: Unpack[ColumnOptions]) -> pandas.Series:
    """Returns the messages of a series of texts, with its index."""
    column = pyarrow.array(texts, type=pyarrow.large_string(), from_pandas=True)
    found = pyarrow.chunked_array(parse_array(column, **how))
    return pandas.Series(pandas.arrays.ArrowExtensionArray(found), index=texts.index, name="message")
