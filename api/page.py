"""A note as a page of its own: the untouched text with what was understood marked in it.

The text is cut wherever a mark begins or ends, so that no mark contains another and mentions may overlap, or be in
pieces, as they like. Labels beside the marks are made by the style sheet: the text of the page is the text of the note.
Each status has a colour, a kind of line and a label, so that the page reads without colours too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain, pairwise
from typing import Final

from api.show_reading import is_provisional, limits_of, number_of, parts_of
from api.words import words
from ontology.reading.reader import Note
from ontology.reading.sections import Section
from ontology.reading.status import Reading
from ontology.reading.value import Value

_COLOURS: Final = {
    "present": ("#cdebc5", "#1f5130", "solid"),
    "absent": ("#f6d0d0", "#6b2428", "double"),
    "uncertain": ("#f7e6b0", "#5b4708", "dotted"),
    "family": ("#d5dcf7", "#2f3d78", "dashed"),
    "historical": ("#dedede", "#474747", "solid"),
    "hypothetical": ("#ecd6f2", "#5a2d68", "dashed"),
}
"""By status: background in light and in dark, and the line below. Against the text they have 8:1 at least."""

_STYLE: Final = """
:root { color-scheme: light dark; --text: #111; --page: #fff; --quiet: #555; %(light)s }
@media (prefers-color-scheme: dark) { :root { --text: #f4f4f4; --page: #161616; --quiet: #b5b5b5; %(dark)s } }
body { background: var(--page); color: var(--text); font: 1rem/1.9 system-ui, sans-serif; margin: 2rem auto;
  max-width: 60rem; padding: 0 1rem; }
#note { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
#note section, #note h2 { display: inline; }
#note h2 { font-size: 1.15em; }
mark, u { background: none; color: inherit; text-decoration: none; border-radius: .2em; padding: .1em 0; }
mark.provisional { font-style: italic; }
u, mark.value { text-decoration: underline 2px; text-underline-offset: .25em; }
[data-label]::after { content: " " attr(data-label); font-size: .7em; font-style: normal; color: var(--text);
  border: 1px solid; border-radius: .3em; margin: 0 .25em; padding: 0 .25em; unicode-bidi: isolate; }
.legend { list-style: none; padding: 0; } .legend li { display: inline-block; margin-right: 1.2em; }
footer { color: var(--quiet); border-top: 1px solid; margin-top: 2rem; }
%(statuses)s
"""


@dataclass(frozen=True, slots=True)
class _Mark:
    """A stretch with something to say; `label` is empty for all pieces of a mention but its last."""

    start: int
    end: int
    classes: str
    title: str
    label: str


def page(note: Note) -> str:
    """The page, self-contained, in the language of the note; it asks for nothing and runs nothing."""
    lang = note.lang
    marks = sorted(_marks(note, lang), key=lambda mark: (mark.start, -mark.end))
    body = "".join(_section(note.text, section, own) for section, own in _by_section(note.sections, marks))
    unread = f"<p>{words(lang, 'unread', f'{note.unread:,}')}</p>\n" if note.unread else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>clew</title>\n<style>{_style()}</style>\n</head>\n<body>\n"
        f'<ul class="legend">{_legend(lang)}</ul>\n<main id="note">{body}</main>\n'
        f"{unread}<footer>{escape(words(lang, 'notice'))}</footer>\n</body>\n</html>"
    )


def _style() -> str:
    light = " ".join(f"--{status}: {colours[0]};" for status, colours in _COLOURS.items())
    dark = " ".join(f"--{status}: {colours[1]};" for status, colours in _COLOURS.items())
    statuses = "\n".join(
        f"mark.{status} {{ background: var(--{status}); border-bottom: 3px {line}; }}"
        for status, (_, _, line) in _COLOURS.items()
    )
    return _STYLE % {"light": light, "dark": dark, "statuses": statuses}


def _legend(lang: str) -> str:
    shown = [f'<li><mark class="{status}">{escape(words(lang, status))}</mark></li>' for status in _COLOURS]
    shown.append(f'<li><mark class="provisional">{escape(words(lang, "provisional"))} ?</mark></li>')
    shown.append(f"<li><u>{escape(words(lang, 'value'))}</u></li>")
    return "".join(shown)


def _marks(note: Note, lang: str) -> Iterator[_Mark]:
    for reading in note.readings:
        yield from _of_reading(reading, lang)
    for value in note.values:
        yield _Mark(value.start, value.end, "value", _value_title(value, lang), _value_label(value, lang))


def _of_reading(reading: Reading, lang: str) -> Iterator[_Mark]:
    link, status = reading.link, words(lang, reading.status)
    doubt = " ?" if is_provisional(reading) else ""
    title = f"{link.entity} {link.label} · {status} · {link.method} · {link.confidence:.2f}{doubt}"
    if reading.near:
        title += f" · {reading.near.name} ({reading.near.entity})"
    parts = parts_of(reading)
    for start, end in parts:
        label = f"{status} {link.label}{doubt}" if end == parts[-1][1] else ""
        yield _Mark(start, end, reading.status + (" provisional" if doubt else ""), title, label)


def _value_title(value: Value, lang: str) -> str:
    level = words(lang, value.level) if value.level else ""
    limits = limits_of(value) and f"[{limits_of(value)}]"
    told = (value.name or value.kind, number_of(value), value.unit, limits, level, value.finding)
    return " ".join(part for part in told if part)


def _value_label(value: Value, lang: str) -> str:
    return words(lang, value.level) if value.level else ""


def _by_section(sections: Sequence[Section], marks: Sequence[_Mark]) -> Iterator[tuple[Section, list[_Mark]]]:
    """Sections with the marks that reach into them; both in order."""
    at, reaching = 0, list[_Mark]()
    for section in sections:
        reaching = [mark for mark in reaching if mark.end > section.start]
        while at < len(marks) and marks[at].start < section.end:
            reaching.append(marks[at])
            at += 1
        yield section, reaching


def _section(text: str, section: Section, marks: Sequence[_Mark]) -> str:
    heading = "".join(_marked(text, section.start, section.body, marks))
    body = "".join(_marked(text, section.body, section.end, marks))
    return f"<section>{f'<h2>{heading}</h2>' if heading else ''}{body}</section>"


def _marked(text: str, start: int, end: int, marks: Iterable[_Mark]) -> Iterator[str]:
    """A stretch of the text, cut at the ends of the marks."""
    inside = [mark for mark in marks if mark.start < end and mark.end > start]
    ends = chain.from_iterable((max(mark.start, start), min(mark.end, end)) for mark in inside)
    cuts = sorted({start, end, *ends})
    at, covering = 0, list[_Mark]()
    for begin, stop in pairwise(cuts):
        covering = [mark for mark in covering if mark.end > begin]
        while at < len(inside) and inside[at].start <= begin:
            covering.append(inside[at])
            at += 1
        yield _piece(text[begin:stop], stop, covering)


def _piece(text: str, stop: int, marks: Sequence[_Mark]) -> str:
    shown = escape(text, quote=False).replace("\r", "&#13;")
    if not marks:
        return shown
    tag = "u" if all(mark.classes == "value" for mark in marks) else "mark"
    classes = " ".join(dict.fromkeys(" ".join(mark.classes for mark in marks).split()))
    label = " · ".join(mark.label for mark in marks if mark.label and mark.end == stop)
    labelled = f' data-label="{escape(label)}"' if label else ""
    title = escape(" | ".join(mark.title for mark in marks))
    return f'<{tag} class="{classes}" title="{title}"{labelled}>{shown}</{tag}>'
