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
