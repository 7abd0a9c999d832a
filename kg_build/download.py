"""Originals by URL: files that `--data` names by address are fetched into the cache.

    https://…/phenotype.tsv.gz ──▶ HOME/cache/originals/<digest of the address>/phenotype.tsv.gz · answer.json

The server is asked each time whether the file has changed (ETag, Last-Modified); without a network the file that is
there serves. The name of the file is the last part of the address, and has to be one that some source reads: nothing
else is fetched, and nothing is written outside the cache.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from ontology.errors import ClewError, Code, nearest

LARGEST: Final = 8 * 2**30
"""Bytes a file may have (our choice)."""

_BLOCK: Final = 1 << 20
_ANSWER: Final = "answer.json"
_ASKED: Final = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}


def is_address(text: str) -> bool:
    """Whether this is a URL rather than a folder."""
    return text.startswith(("http://", "https://"))


def fetch(url: str, cache: Path, names: Collection[str], say: Callable[[str], None]) -> Path:
    """Have the file at an address on disk; returns the folder it is in.

    Args:
        url: http or https.
        cache: where originals are kept.
        names: of the files that sources read, as in `Original.names`; one may name a folder before the file.
        say: called with a line per download.

    Raises:
        ClewError: BAD_INPUT for a name that no source reads; UNREACHABLE_ARTEFACT.
    """
    name = unquote(urlsplit(url).path).rpartition("/")[2]
    known = {full.rpartition("/")[2]: full for full in sorted(names)}
    if name not in known:
        raise ClewError(
            Code.BAD_INPUT,
            f"{url}: no source reads a file named {name!r}",
            remedy="name the address of a file as it is published, or a folder that holds it",
            choices=nearest(name, known) or sorted(known),
        )
    folder = cache / hashlib.sha256(url.encode()).hexdigest()[:16]
    path = folder / known[name]
    path.parent.mkdir(parents=True, exist_ok=True)
    _refresh(url, path, say)
    return folder


def _refresh(url: str, path: Path, say: Callable[[str], None]) -> None:
    import httpx2  # noqa: PLC0415  (an HTTP client: only loaded when an address is named)

    known = _known(path)
    asked = {_ASKED[key]: value for key, value in known.items()} if path.is_file() else {}
    headers = {"Accept-Encoding": "identity", **asked}  # a compressed file is kept as it is published
    try:
        with httpx2.stream("GET", url, headers=headers, follow_redirects=True, timeout=60) as answer:
            if answer.status_code == httpx2.codes.NOT_MODIFIED:
                return
            answer.raise_for_status()
            say(f"downloading {path.name}")
            _keep(answer, path)
    except httpx2.HTTPError as error:
        if path.is_file():
            say(f"{path.name}: {type(error).__name__}, the copy of an earlier build serves")
            return
        raise ClewError(
            Code.UNREACHABLE_ARTEFACT,
            f"{url}: {type(error).__name__}: {error}",
            remedy="check the address and the network, or download it by hand and name its folder with --data",
        ) from error


def _keep(answer: Any, path: Path) -> None:
    """Write what comes beside the file and put it in its place when it is complete."""
    with NamedTemporaryFile(dir=path.parent, prefix=".part-", delete=False) as part:
        beside = Path(part.name)
        try:
            total = 0
            for block in answer.iter_raw(_BLOCK):
                total += len(block)
                if total > LARGEST:
                    raise ClewError(Code.UNREACHABLE_ARTEFACT, f"{path.name} is larger than {LARGEST:,} bytes")
                part.write(block)
            part.close()
            os.replace(beside, path)  # noqa: PTH105  (atomic on one file system)
        finally:
            beside.unlink(missing_ok=True)
    kept = {key: answer.headers[key] for key in _ASKED if key in answer.headers}
    (path.parent / _ANSWER).write_text(json.dumps(kept), encoding="utf-8")


def _known(path: Path) -> Mapping[str, str]:
    try:
        kept = json.loads((path.parent / _ANSWER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {key: value for key, value in kept.items() if key in _ASKED and isinstance(value, str)}
