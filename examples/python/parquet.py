"""From Parquet to Parquet: adds a column of messages to a file of texts, batch by batch, so that memory stays flat.

    pip install toolglot pyarrow
    python parquet.py answers.parquet messages.parquet text
"""

import sys

import pyarrow as pa
import pyarrow.parquet as pq
import toolglot


def parse_file(source, target, column="text", batch_rows=65_536, **how):
    """Writes the rows of `source` with a column `message`; `how` as in `toolglot.parse_array`. Returns their number."""
    file = pq.ParquetFile(source)
    kind = pa.field(toolglot.parse_array(pa.nulls(0, pa.string()))).type
    rows = 0
    with pq.ParquetWriter(target, file.schema_arrow.append(pa.field("message", kind)), compression="zstd") as writer:
        for batch in file.iter_batches(batch_rows):
            messages = pa.chunked_array(toolglot.parse_array(batch.column(column), **how))
            writer.write_table(pa.Table.from_batches([batch]).append_column("message", messages))
            rows += len(batch)
    return rows


if __name__ == "__main__":
    source, target, column = sys.argv[1:]
    print(f"{parse_file(source, target, column):,} rows")
