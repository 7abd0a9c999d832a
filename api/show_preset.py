"""Presets as people read them: what there is, and every parameter with where its value comes from."""

from __future__ import annotations

from api.show import Shown
from retrieval.preset import COMPONENTS, Preset, load_preset, preset_names


def presets() -> Shown:
    """The presets by name, and the components that can be left out of them."""
    titles = {name: load_preset(name).title for name in preset_names()}
    width = max(map(len, titles))
    lines = [f"{name:<{width}}  {title}" for name, title in titles.items()]
    lines += ["", f"components, for --without: {', '.join(COMPONENTS)}"]
    return Shown("\n".join(lines), {"presets": titles, "components": list(COMPONENTS)})


def preset(shown: Preset) -> Shown:
    """Every parameter of a preset, its value, and where it comes from; one that a component took with it says so."""
    kept = load_preset(shown.name.split(" - ")[0]).values.model_dump()
    values = {f"{s}.{key}": value for s, part in shown.values.model_dump().items() for key, value in part.items()}
    before = {f"{s}.{key}": value for s, part in kept.items() for key, value in part.items()}
    origins = {
        key: shown.origins[key] if value == before[key] else f"left out; {before[key]!r} otherwise"
        for key, value in values.items()
    }
    lines = [f"{shown.name}: {shown.title}", ""]
    lines += [f"{key} = {_written(value)}    ({origins[key]})" for key, value in values.items()]
    data = {"name": shown.name, "title": shown.title, "values": values, "origins": origins}
    return Shown("\n".join(lines), data)


def _written(value: object) -> str:
    return "[" + ", ".join(map(str, value)) + "]" if isinstance(value, tuple) else repr(value)
