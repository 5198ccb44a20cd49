"""pandas: `df["message"] = toolglot.pandas.parse(df["text"])`, a column of Arrow structs."""

from __future__ import annotations

from typing import Any

import pandas
import pyarrow

from ._read import parse_array


def parse(texts: pandas.Series, **how: Any) -> pandas.Series:
    """Returns the messages of a series of texts, with its index; `how` as in `toolglot.parse_array`."""
    column = pyarrow.array(texts, type=pyarrow.large_string(), from_pandas=True)
    found = pyarrow.chunked_array(parse_array(column, **how))
    return pandas.Series(pandas.arrays.ArrowExtensionArray(found), index=texts.index, name="message")
