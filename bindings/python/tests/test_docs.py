"""The lines of Python in the README and in the manual run, each block by itself."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", ROOT / "bindings/python/README.md", *sorted((ROOT / "docs/python").glob("*.md"))]

BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S))
]


def test_there_are_blocks() -> None:
    assert len(BLOCKS) > 12


@pytest.mark.parametrize("block", BLOCKS)
def test_block(block: str) -> None:
    first = block.splitlines()[0]
    needed = first.removeprefix("# needs:").split() if first.startswith("# needs:") else []
    for name in needed:
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    if needed == ["sglang"]:
        pytest.skip("SGLang's own tests register it")
    exec(compile(block, "block", "exec"), {"__name__": "__main__"})


def test_the_notebook_says_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    cells = json.loads((ROOT / "examples/python/tour.ipynb").read_text(encoding="utf-8"))["cells"]
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if isinstance(last, ast.Expr) else None
        shown = [out["data"]["text/plain"] for out in cell["outputs"] if "data" in out]
        # A notebook breaks long lines; what is said is the same.
        if shown:
            assert re.sub(r"\s+", "", repr(value)) == re.sub(r"\s+", "", "".join(shown[0]))
        printed = "".join("".join(out["text"]) for out in cell["outputs"] if out.get("name") == "stdout")
        assert capsys.readouterr().out == printed
