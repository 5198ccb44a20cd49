"""Makes the site's pages of the repository's documents: each once, where it lies, so that links mean the same in both."""

from __future__ import annotations

import base64
import json
import posixpath
import re
import subprocess
import zlib
from pathlib import Path

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
SOURCE = "https://github.com/toolglot/toolglot/blob/main/"
EXAMPLE = re.compile(r"^### (\w+): example\n\n(`{3,})text\n(.*?)\n\2\n", re.M | re.S)
DIALECTS = "docs/dialects.md"
DIALECT_FILE = re.compile(r"(?:\.\./)*crates/toolglot/dialects/(\w+)\.toml")
TOOLS = [
    {"name": "get_weather", "parameters": {"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}},
    {"name": "read_note", "parameters": {"properties": {"title": {"type": "string"}}}},
]
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def is_page(path: str) -> bool:
    return path.endswith((".md", ".svg")) and not path.startswith((".", "crates/toolglot/tests/", "fuzz/"))


def tried(text: str, dialect: str) -> str:
    """Returns a link that opens a text in the inspector beside the site; its fragment is what `share.ts` reads."""
    session = json.dumps({"text": text, "tools": json.dumps(TOOLS, indent=2), "dialects": [dialect]})
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = base64.urlsafe_b64encode(deflate.compress(session.encode()) + deflate.flush()).decode().rstrip("=")
    return f'<a class="md-button" href="../../try/#s={packed}">Try it in the inspector</a>\n'


def on_files(files: Files, *, config) -> Files:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    pages = [path for path in listed.splitlines() if is_page(path)]
    own = [file for file in files if file.inclusion.is_excluded() or "assets/" in file.src_uri]
    page = subprocess.run(["cargo", "xtask", "docs", "--dialects"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    own.append(File.generated(config, DIALECTS, content=page))
    return Files(own + [File.generated(config, path, abs_src_path=str(ROOT / path)) for path in pages])


def on_page_markdown(markdown: str, *, page, config, files: Files) -> str:
    """Files that are no pages are shown by the repository; badges, which others serve, are left out."""
    here = posixpath.dirname(page.file.src_uri)
    if page.file.src_uri == DIALECTS:
        markdown = EXAMPLE.sub(lambda found: f"{found.group()}\n{tried(found.group(3), found.group(1))}", markdown)

    def link(found: re.Match[str]) -> str:
        before, target, after = found.groups()
        if dialect := DIALECT_FILE.fullmatch(target):
            return f"{before}{posixpath.relpath(DIALECTS, here)}#{dialect.group(1)})"
        path = posixpath.normpath(posixpath.join(here, target))
        if ":" in target or files.get_file_from_path(path):
            return found.group()
        if files.get_file_from_path(f"{path}/README.md"):
            return f"{before}{target.rstrip('/')}/README.md{after}"
        return f"{before}{SOURCE}{path}{after}" if (ROOT / path).exists() else found.group()

    return LINK.sub(link, re.sub(r"^\[!\[.*\n", "", markdown, flags=re.M))
