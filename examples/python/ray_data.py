"""Reads a data set of texts with Ray Data: `pip install toolglot 'ray[data]' pyarrow`, then `python ray_data.py`.

Ray decides how many workers there are; each makes one `Parse`.
"""

import ray
import toolglot.ray

CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'

texts = [{"text": CALL if number % 2 else "It is sunny."} for number in range(100)]
messages = ray.data.from_items(texts).map_batches(
    toolglot.ray.Parse, fn_constructor_kwargs={"column": "text"}, batch_format="pyarrow"
)
calls = [call for row in messages.take_all() for call in row["message"]["calls"]]
print(len(calls), calls[0]["name"], calls[0]["arguments"])
