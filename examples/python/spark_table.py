"""Reads a table of texts with Spark: `pip install toolglot pyspark pyarrow pandas`, then `python spark_table.py`. Spark needs Java."""

import toolglot.spark
from pyspark.sql import SparkSession

CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'

spark = SparkSession.builder.master("local[2]").appName("toolglot").getOrCreate()
texts = spark.createDataFrame([(CALL if number % 2 else "It is sunny.",) for number in range(100)], ["text"])
messages = toolglot.spark.parse(texts, "text").collect()
calls = [call for row in messages for call in row["message"]["calls"]]
print(len(calls), calls[0]["name"], calls[0]["arguments"])
spark.stop()
