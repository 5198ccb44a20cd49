"""The programs of `examples/python` run as they are."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples/python"


@pytest.mark.parametrize(("host", "name"), [("ray", "ray_data.py"), ("pyspark", "spark_table.py")])
def test_a_program_of_a_host_runs(host: str, name: str) -> None:
    if importlib.util.find_spec(host) is None:
        pytest.skip(f"{host} is not installed")
    # Spark starts its workers with the first Python of the path otherwise.
    env = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, EXAMPLES / name]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env=env)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ran.stdout.splitlines()[-1] == '50 get_weather {"city": "Paris"}'


def test_from_parquet_to_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    pa = pytest.importorskip("pyarrow")
    call = '<tool_call>{"name": "ls", "arguments": {"path": "src"}}</tool_call>'
    texts = [f"{row} {call}" if row % 3 else None if row % 2 else "prose" for row in range(300)]
    parquet.write_table(pa.table({"row": range(300), "text": texts}), tmp_path / "in.parquet")
    command = [sys.executable, EXAMPLES / "parquet.py", tmp_path / "in.parquet", tmp_path / "out.parquet", "text"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "300 rows\n"
    rows = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["text"] for row in rows] == texts and [row["row"] for row in rows] == list(range(300))
    assert [row["message"] is None for row in rows] == [text is None for text in texts]
    ids = [found["id"] for row in rows if row["message"] for found in row["message"]["calls"]]
    assert len(ids) == len(set(ids)) == 200
