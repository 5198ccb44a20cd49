"""Makes the site's pages of the repository's documents: each once, where it lies, so that links mean the same in both."""

from __future__ import annotations

import posixpath
import re
import subprocess
from pathlib import Path

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
SOURCE = "https://github.com/toolglot/toolglot/blob/main/"
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def is_page(path: str) -> bool:
    return path.endswith((".md", ".svg")) and not path.startswith((".", "crates/toolglot/tests/", "fuzz/"))


def on_files(files: Files, *, config) -> Files:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    pages = [path for path in listed.splitlines() if is_page(path)]
    own = [file for file in files if file.inclusion.is_excluded() or "assets/" in file.src_uri]
    return Files(own + [File.generated(config, path, abs_src_path=str(ROOT / path)) for path in pages])


def on_page_markdown(markdown: str, *, page, config, files: Files) -> str:
    """Files that are no pages are shown by the repository; badges, which others serve, are left out."""
    here = posixpath.dirname(page.file.src_uri)

    def link(found: re.Match[str]) -> str:
        before, target, after = found.groups()
        path = posixpath.normpath(posixpath.join(here, target))
        if ":" in target or files.get_file_from_path(path):
            return found.group()
        if files.get_file_from_path(f"{path}/README.md"):
            return f"{before}{target.rstrip('/')}/README.md{after}"
        return f"{before}{SOURCE}{path}{after}" if (ROOT / path).exists() else found.group()

    return LINK.sub(link, re.sub(r"^\[!\[.*\n", "", markdown, flags=re.M))
