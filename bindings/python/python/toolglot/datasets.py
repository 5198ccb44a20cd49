"""Hugging Face datasets: `toolglot.datasets.parse(dataset, "text")` adds a column of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow

from ._read import parse_array
from ._settings import ColumnOptions, column_spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack


@column_spelled_out
def parse(dataset: Any, column: str, output: str = "message", *, num_proc: int | None = None, **how: Unpack[ColumnOptions]) -> Any:
    """Returns the dataset with a column of messages."""

    # With several processes, each uses one thread.
    how.setdefault("threads", 1 if num_proc else None)

    def read(batch: pyarrow.Table) -> pyarrow.Table:
        return batch.append_column(output, pyarrow.chunked_array(parse_array(batch.column(column), **how)))

    formatted = dataset.with_format("arrow").map(read, batched=True, num_proc=num_proc)
    return formatted.with_format(**_format(dataset))


def _format(dataset: Any) -> dict[str, Any]:
    return {"type": dataset.format["type"]} if dataset.format["type"] else {"type": None}
