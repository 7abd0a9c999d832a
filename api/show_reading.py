"""A note as it was understood: tables for people, plain values for machines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table
from rich.text import Text

from api.show import rendered
from api.words import words
from ontology.reading.reader import CERTAIN, Note
from ontology.reading.sections import Section
from ontology.reading.status import Reading
from ontology.reading.value import Value


def note_text(note: Note) -> str:
    """Findings, values and sections of a note as tables, in its language."""
    lang = note.lang
    blocks = []
    if note.readings:
        keys = ["text", "status", "entity", "label", "method", "confidence", "section"]
        keys += ["english"] if any(reading.near for reading in note.readings) else []
        rows = [_finding(reading, lang, len(keys)) for reading in note.readings]
        blocks.append(_table("findings", keys, rows, lang))
        if any(is_provisional(reading) for reading in note.readings):
            blocks.append(words(lang, "marked"))
    if note.values:
        keys = ["text", "kind", "number", "unit", "limits", "level", "finding"]
        blocks.append(_table("values", keys, (_value(value, lang) for value in note.values), lang))
    if any(section.kind for section in note.sections):
        rows = [_section(section, note.text) for section in note.sections if section.kind]
        blocks.append(_table("sections", ["section", "text"], rows, lang))
    if not note.readings and not note.values:
        blocks.append(words(lang, "nothing"))
    if note.unread:
        blocks.append(words(lang, "unread", f"{note.unread:,}"))
    return "\n\n".join([*blocks, words(lang, "notice")])


def note_data(note: Note) -> dict[str, Any]:
    """A note as plain values: all but its text; offsets are code points of that."""
    return {
        "lang": note.lang,
        "characters": len(note.text),
        "sections": [asdict(section) for section in note.sections],
        "sentences": [list(span) for span in note.sentences],
        "findings": [_finding_data(reading) for reading in note.readings],
        "values": [{**asdict(value), "iso8601": value.iso8601} for value in note.values],
        "unread": note.unread,
        "notice": words(note.lang, "notice"),
    }


def is_provisional(reading: Reading) -> bool:
    """Whether a link is too uncertain to be used."""
    return reading.link.confidence < CERTAIN


def parts_of(reading: Reading) -> tuple[tuple[int, int], ...]:
    """The pieces that a mention is in; one, where it is in one."""
    return reading.link.parts or ((reading.link.start, reading.link.end),)


def limits_of(value: Value) -> str:
    """The limits that decided on a level: `3.5-5.1`, `> 90`, or nothing."""
    low, high = value.low_limit, value.high_limit
    if low is not None and high is not None:
        return f"{low:g}-{high:g}"
    return f"> {low:g}" if low is not None else f"< {high:g}" if high is not None else ""


def number_of(value: Value) -> str:
    """The number, both numbers or the bound of a value."""
    if value.number is None:
        return ""
    second = "" if value.high is None else f"{'/' if value.kind == 'blood_pressure' else '-'}{value.high:g}"
    return f"{value.comparator}{value.number:g}{second}"


def printable(text: str) -> str:
    """A piece of a text on one line, without what a terminal would take for a command."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in " ".join(text.split()))


def _finding(reading: Reading, lang: str, columns: int) -> list[str]:
    link, near = reading.link, reading.near
    mark = " ?" if is_provisional(reading) else ""
    row = [_written(reading), words(lang, reading.status), link.entity, link.label, link.method]
    row += [f"{link.confidence:.2f}{mark}", reading.section, f"{near.name} ({near.entity})" if near else ""]
    return row[:columns]


def _written(reading: Reading) -> str:
    """What a mention says, without what stands between its pieces."""
    link = reading.link
    return " … ".join(printable(link.text[a - link.start : b - link.start]) for a, b in parts_of(reading))


def _value(value: Value, lang: str) -> list[str]:
    level = words(lang, value.level) if value.level else ""
    name = value.name or value.kind
    return [printable(value.text), name, number_of(value), value.unit, limits_of(value), level, value.finding]


def _section(section: Section, text: str) -> list[str]:
    start = text[section.body : section.end][:200]
    shown = printable(start)
    return [section.kind, shown[:60] + ("…" if len(shown) > 60 or section.end - section.body > 200 else "")]


def _finding_data(reading: Reading) -> dict[str, Any]:
    return {
        **asdict(reading.link),
        "parts": [list(part) for part in parts_of(reading)],
        "status": reading.status,
        "section": reading.section,
        "provisional": is_provisional(reading),
        "near": asdict(reading.near) if reading.near else None,
    }


def _table(title: str, keys: Sequence[str], rows: Iterable[Sequence[str]], lang: str) -> str:
    grid = Table(*(words(lang, key) for key in keys), box=None, header_style="bold", pad_edge=False)
    for row in rows:
        grid.add_row(*map(Text, row))
    return f"{words(lang, title)}\n{rendered(grid)}"
