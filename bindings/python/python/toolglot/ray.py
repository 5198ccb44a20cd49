"""Ray Data: `dataset.map_batches(toolglot.ray.Parse, fn_constructor_kwargs={"column": "text"}, batch_format="pyarrow")`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow

from ._read import parse_array
from ._settings import DialectLike, Options, dialects, options, spelled_out
from ._tools import compiled

if TYPE_CHECKING:
    from typing_extensions import Unpack


@spelled_out
class Parse:
    """Adds a column of messages to every batch; created once in each worker.

    `tools` are the same for all rows; `tools_column` names a column of JSON texts. The default for `threads` is 1, since Ray
    starts a worker for each processor.
    """

    def __init__(
        self,
        column: str = "text",
        output: str = "message",
        *,
        tools: Any = None,
        tools_column: str | None = None,
        dialect: DialectLike = None,
        threads: int = 1,
        near_misses: bool = True,
        **choices: Unpack[Options],
    ) -> None:
        options(choices)  # Reports invalid options once instead of for every batch.
        self._column, self._output, self._tools_column = column, output, tools_column
        self._tools, self._dialects, self._choices = compiled(tools), dialects(dialect), choices
        self._how: dict[str, Any] = {"threads": threads, "near_misses": near_misses}

    def __call__(self, batch: Any) -> pyarrow.Table:
        table = batch if isinstance(batch, pyarrow.Table) else pyarrow.table(batch)
        tools = table.column(self._tools_column) if self._tools_column else self._tools
        read = parse_array(table.column(self._column), tools=tools, dialect=self._dialects, **self._how, **self._choices)
        return table.append_column(self._output, pyarrow.chunked_array(read))
