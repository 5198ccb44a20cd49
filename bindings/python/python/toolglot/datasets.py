"""Hugging Face datasets: `toolglot.datasets.parse(dataset, "text")` adds a column of messages."""

from __future__ import annotations

from typing import Any

import pyarrow

from ._read import parse_array


def parse(dataset: Any, column: str, output: str = "message", *, num_proc: int | None = None, **how: Any) -> Any:
    """Returns the dataset with a column of messages; `how` as in `toolglot.parse_array`."""

    def read(batch: pyarrow.Table) -> pyarrow.Table:
        return batch.append_column(output, pyarrow.chunked_array(parse_array(batch.column(column), **how)))

    formatted = dataset.with_format("arrow").map(read, batched=True, num_proc=num_proc)
    return formatted.with_format(**_format(dataset))


def _format(dataset: Any) -> dict[str, Any]:
    return {"type": dataset.format["type"]} if dataset.format["type"] else {"type": None}
