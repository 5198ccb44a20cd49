"""Columns: what `parse_array` takes and gives, and the libraries that it goes through."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from streams import TOOLS, streams

import toolglot

pa = pytest.importorskip("pyarrow")

TEXTS = [stream.text for stream in streams()]


def told(row: Any) -> Any:
    """A row as `Message.to_dict` has it, but for what rows leave out."""
    if row is None:
        return None
    for found in row["diagnostics"]:
        found.pop("dialect", None)
    return row


def wanted(text: str | None, **how: Any) -> Any:
    return None if text is None else told(toolglot.parse(text, **how).to_dict())


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
@pytest.mark.parametrize("threads", [1, 3])
def test_rows_are_as_parse_says(kind: Any, threads: int) -> None:
    texts = [*TEXTS, None, "", "hé"]
    found = pa.array(toolglot.parse_array(pa.array(texts, kind), tools=TOOLS, threads=threads))
    assert [told(row) for row in found.to_pylist()] == [wanted(text, tools=TOOLS) for text in texts]


def test_slices_chunks_and_dictionaries() -> None:
    column = pa.array(["x", *TEXTS, "x"])
    shapes = [column.slice(1, len(TEXTS)), pa.chunked_array([TEXTS[:7], [], TEXTS[7:]]), pa.array(TEXTS).dictionary_encode()]
    for shape in shapes:
        found = toolglot.parse_array(shape)
        assert len(found) == len(TEXTS)
        assert pa.chunked_array(found).to_pylist() == pa.array(toolglot.parse_array(pa.array(TEXTS))).to_pylist()
    assert pa.array(toolglot.parse_array(pa.array([], pa.string()))).to_pylist() == []
    assert pa.array(toolglot.parse_array(pa.nulls(3))).null_count == 3


def test_tools_of_each_row() -> None:
    text = '<tool_call>{"name": "f", "arguments": {"a": "3"}}</tool_call>'
    whole = json.dumps([{"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}}}])
    tools = pa.array([whole, "[", None, whole])
    for column in (tools, tools.dictionary_encode()):
        rows = pa.array(toolglot.parse_array(pa.array([text] * 4), tools=column)).to_pylist()
        assert [row["calls"][0]["arguments"] for row in rows] == ['{"a": 3}', '{"a": "3"}', '{"a": "3"}', '{"a": 3}']
        assert [row["diagnostics"][0]["code"] if row["diagnostics"] else None for row in rows][1] == "invalid_tools"
    with pytest.raises(ValueError, match="4 texts and 1 lists of tools"):
        toolglot.parse_array(pa.array([text] * 4), tools=pa.array([whole]))
    with pytest.raises(TypeError, match="expected a column of strings, found Int64"):
        toolglot.parse_array(pa.array([1, 2]))


def test_tools_in_chunks() -> None:
    text = '<tool_call>{"name": "f", "arguments": {"a": "3"}}</tool_call>'
    whole = json.dumps([{"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}}}])
    tools = pa.chunked_array([[None, None], [], [whole]], pa.string())
    rows = pa.array(toolglot.parse_array(pa.chunked_array([[text], [text, text]]), tools=tools)).to_pylist()
    assert [row["calls"][0]["arguments"] for row in rows] == ['{"a": "3"}', '{"a": "3"}', '{"a": 3}']


def test_nulls_in_slices() -> None:
    texts = [None if row % 3 else f"text {row}, which is longer than a view holds" for row in range(40)]
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        column = pa.array(texts, kind).slice(5, 30)
        for shape in (column, column.dictionary_encode()) if kind != pa.string_view() else (column,):
            rows = pa.array(toolglot.parse_array(shape)).to_pylist()
            assert [row and row["content"] for row in rows] == texts[5:35]
    whole = pa.array(toolglot.parse_array(pa.chunked_array([texts[:9], texts[9:]])))
    whole.validate(full=True)
    assert [row and row["content"] for row in whole.to_pylist()] == texts


def test_bytes_that_are_no_utf8() -> None:
    offsets, data = pa.array([0, 1, 3, 3], pa.int32()).buffers()[1], pa.py_buffer(b"a\xffb")
    column = pa.Array.from_buffers(pa.string(), 3, [None, offsets, data])
    rows = pa.array(toolglot.parse_array(column)).to_pylist()
    assert [row["content"] for row in rows] == ["a", "\ufffdb", ""]


def test_columns_outlive_what_they_came_from() -> None:
    before = pa.total_allocated_bytes()
    result = toolglot.parse_array(pa.chunked_array([TEXTS, TEXTS]))
    stream, array = pa.chunked_array(result), pa.array(result)
    del result
    names, content = array.field("calls").flatten().field("name"), stream.chunk(0).field("content")
    del array, stream
    gc.collect()
    assert names.to_pylist() == [call.name for text in TEXTS * 2 for call in toolglot.parse(text).calls]
    assert content.to_pylist() == [toolglot.parse(text).content for text in TEXTS][: len(content)]
    del names, content
    gc.collect()
    assert pa.total_allocated_bytes() == before


def test_what_is_no_column() -> None:
    for wrong in (["a list"], "a text", 1, None):
        with pytest.raises(TypeError, match="expected a column of strings with Arrow's interface"):
            toolglot.parse_array(wrong)

    class Once:
        capsules = pa.array(["a"]).__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            return self.capsules

    assert len(toolglot.parse_array(Once())) == 1
    with pytest.raises(toolglot.ToolglotError, match="only once"):
        toolglot.parse_array(Once())


def test_streams_that_fail() -> None:
    def batches() -> Iterator[Any]:
        yield pa.record_batch({"text": ["a"]})
        raise OSError("the disk is gone")

    with pytest.raises(toolglot.ToolglotError, match="the disk is gone"):
        toolglot.parse_array(pa.RecordBatchReader.from_batches(pa.schema([("text", pa.string())]), batches()))
    with pytest.raises(TypeError, match="expected a column of strings, found Struct"):
        toolglot.parse_array(pa.table({"text": ["a"]}))


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    import toolglot.polars

    frame = pl.DataFrame({"text": [*TEXTS, None]})
    found = frame.with_columns(pl.col("text").toolglot.parse(tools=TOOLS).alias("message"))
    assert [told(row) for row in found["message"].to_list()[:-1]] == [wanted(text, tools=TOOLS) for text in TEXTS]
    lazy = frame.lazy().select(pl.col("text").toolglot.parse().struct.field("calls").list.len()).collect()
    assert lazy.to_series().to_list()[:-1] == [len(toolglot.parse(text).calls) for text in TEXTS]


def test_pandas() -> None:
    pd = pytest.importorskip("pandas")
    import toolglot.pandas

    series = pd.Series([*TEXTS, None], index=range(5, 6 + len(TEXTS)))
    found = toolglot.pandas.parse(series)
    assert found.index.equals(series.index) and told(found.iloc[0]) == wanted(TEXTS[0])


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    import toolglot.duckdb

    connection = duckdb.connect()
    toolglot.duckdb.register(connection)
    connection.register("answers", pa.table({"text": TEXTS}))
    rows = connection.sql("SELECT len(toolglot(text).calls) FROM answers").fetchall()
    assert [count for (count,) in rows] == [len(toolglot.parse(text).calls) for text in TEXTS]


def test_datafusion() -> None:
    datafusion = pytest.importorskip("datafusion")
    import toolglot.datafusion

    context = datafusion.SessionContext()
    context.register_udf(toolglot.datafusion.parse_udf())
    context.register_record_batches("answers", [pa.table({"text": TEXTS}).to_batches()])
    table = pa.table(context.sql("SELECT toolglot(text) AS m FROM answers"))
    assert [told(row) for row in table.column("m").to_pylist()] == [wanted(text) for text in TEXTS]


def test_datasets() -> None:
    datasets = pytest.importorskip("datasets")
    import toolglot.datasets

    found = toolglot.datasets.parse(datasets.Dataset.from_dict({"text": TEXTS}), "text", tools=TOOLS)
    assert told(found[0]["message"]) == wanted(TEXTS[0], tools=TOOLS)


def test_ray_class_and_spark_function() -> None:
    import toolglot.ray
    import toolglot.spark

    table = pa.table({"text": TEXTS})
    found = toolglot.ray.Parse("text", tools=TOOLS)(table)
    assert [told(row) for row in found.column("message").to_pylist()] == [wanted(text, tools=TOOLS) for text in TEXTS]
    [batch] = toolglot.spark.batches("text", tools=TOOLS)(iter(table.to_batches()))
    assert batch.column("message").equals(found.column("message").combine_chunks())


def test_ray_itself() -> None:
    ray = pytest.importorskip("ray")
    import toolglot.ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        data = ray.data.from_arrow(pa.table({"text": TEXTS}))
        made = data.map_batches(toolglot.ray.Parse, fn_constructor_kwargs={"column": "text"}, batch_format="pyarrow", concurrency=1)
        rows = {row["text"]: row["message"] for row in made.take_all()}
        assert all(told(rows[text]) == wanted(text) for text in TEXTS)
    finally:
        ray.shutdown()


def test_spark_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    sql = pytest.importorskip("pyspark.sql")
    import toolglot.spark

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)

    session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        frame = session.createDataFrame([(text,) for text in TEXTS], "text string")
        rows = {row.text: row.message for row in toolglot.spark.parse(frame, "text").collect()}
        assert all(rows[text].asDict(True)["content"] == wanted(text)["content"] for text in TEXTS)
        made = frame.select(toolglot.spark.parse_udf()(frame.text).alias("m")).collect()
        assert [row.m.dialect for row in made] == [wanted(text)["dialect"] for text in TEXTS]
    finally:
        session.stop()
