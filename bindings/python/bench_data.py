"""What a data set costs, from Parquet to Parquet: `python bindings/python/bench_data.py [ROWS] [FOLDER]`.

It makes a file of varied texts, reads it with examples/python/parquet.py, and looks at the result with DuckDB and Polars, where
they are installed. With `TOOLGLOT_CORE`, as for `bench.py`, the core alone stands beside it. Each size runs in a process of its
own, which reports its memory when it ends. Shares of the core are of the processor's time, in all threads, since the machine does
other work; rows a second are of the clock.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "tests"), str(HERE.parents[1] / "examples/python")]

from parquet import parse_file
from streams import TOOLS, streams

import toolglot

BATCH = 65_536


def texts(rows: int) -> Iterator[str]:
    """Answers in three dialects, right, broken and cut, and prose; no two are the same."""
    given = [stream.text for stream in streams()]
    for row in range(rows):
        prose = f"Answer {row}: " + "let me look at it. " * (row * 7919 % 23)
        yield prose + given[row % len(given)] if row % 5 else prose


def write(path: Path, rows: int) -> None:
    made = texts(rows)
    with pq.ParquetWriter(path, pa.schema([("row", pa.int64()), ("text", pa.string())])) as writer:
        for start in range(0, rows, BATCH):
            some = [next(made) for _ in range(start, min(start + BATCH, rows))]
            writer.write_table(pa.table({"row": pa.array(range(start, start + len(some))), "text": some}))


def read(source: Path, target: Path, threads: int) -> None:
    """Runs in a process of its own: prints rows, seconds of the clock, seconds of the processor in `parse_array`, peak memory in MB."""
    spent, inner = 0.0, toolglot.parse_array

    def timed(*args: Any, **how: Any) -> Any:
        nonlocal spent
        began = time.process_time()
        found = inner(*args, **how)
        spent += time.process_time() - began
        return found

    toolglot.parse_array = timed
    began = time.perf_counter()
    rows = parse_file(source, target, tools=toolglot.Tools(TOOLS), threads=threads, near_misses=False)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps([rows, time.perf_counter() - began, spent, peak]))


def core(rows: int) -> float | None:
    """Rows a second and processor of the core alone, reading the first 6,000 texts over and over."""
    program = os.environ.get("TOOLGLOT_CORE")
    if not program:
        return None
    with tempfile.TemporaryDirectory() as folder:
        at, tools = Path(folder, "texts"), Path(folder, "tools")
        at.write_text("\0".join(texts(6_000)))
        tools.write_text(json.dumps(TOOLS))
        command = [program, str(at), str(tools), "hermes"]

        def spent(times: int) -> float:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([*command, str(times), "0"], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        return rows / (min(spent(rows) for _ in range(3)) - min(spent(0) for _ in range(3)))


def ids(target: Path) -> None:
    """Looks at the result as users do: with SQL, and with Polars."""
    if importlib.util.find_spec("duckdb"):
        import duckdb

        # Kimi's calls bring ids of their own, which count from 0 in each message.
        ids = f"SELECT unnest(message.calls).id AS id FROM '{target}'"
        query = f"SELECT count(*), count(DISTINCT id) FROM ({ids}) WHERE starts_with(id, 'call_')"
        [(calls, different)] = duckdb.sql(query).fetchall()
        print(f"DuckDB: {calls:,} calls without an id of the model, {different:,} different ids")
        assert calls == different
    if importlib.util.find_spec("polars"):
        import polars as pl

        messages = pl.scan_parquet(target).select(pl.col("message").struct.field("diagnostics").list.len().alias("found"))
        remarkable = messages.filter(pl.col("found") > 0).select(pl.len()).collect(engine="streaming").item()
        print(f"Polars: {remarkable:,} rows with diagnostics")


def main(rows: int, folder: Path) -> None:
    alone = core(min(rows, 200_000))
    if alone:
        print(f"the core alone: {alone:,.0f} rows per second of CPU time")
    print("| rows | threads | `parse_array`: rows per second of CPU time | relative to the core | with Parquet: rows per second | memory |")
    print("|---|---|---|---|---|---|")
    for count, threads in ((rows // 10, 1), (rows // 10, 2), (rows, 1), (rows, 2)):
        source, target = folder / f"texts-{count}.parquet", folder / f"messages-{count}.parquet"
        if not source.exists():
            write(source, count)
        command = [sys.executable, __file__, "--read", str(source), str(target), str(threads)]
        done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        assert done[0] == count
        share = f"{count / done[2] / alone:.0%}" if alone else "–"
        print(f"| {count:,} | {threads} | {count / done[2]:,.0f} | {share} | {count / done[1]:,.0f} | {done[3]} MB |")
    ids(folder / f"messages-{rows}.parquet")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        read(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
    else:
        rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
        with tempfile.TemporaryDirectory() as made:
            main(rows, Path(sys.argv[2]) if len(sys.argv) > 2 else Path(made))
