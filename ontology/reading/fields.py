"""The field of a Chinese form that a mention stands in: `跌倒:否  吞咽困难:是`, `恶心（+）呕吐（-）`, `□咯血 ☑胸痛`.

What is answered or ticked is said of the name beside it, whatever that is, so neither the dictionary nor the other
fields are needed to know how far an answer reaches. What counts as a field is our choice.
"""

from __future__ import annotations

import re
from typing import Final

from ontology.reading.triggers import BOX

Span = tuple[int, int]


def field_around(text: str, begin: int, end: int, start: int, stop: int) -> Span:
    """The part of a stretch that is the mention's own field, or all of it if it is in none.

    Args:
        text: the untouched text.
        begin: first code point of the stretch, which should be short: all of it is searched.
        end: one past its last.
        start: first code point of the mention.
        stop: one past its last.
    """
    return _answered(text, begin, end, start, stop) or _ticked(text, begin, end, start, stop) or (begin, end)


_SIGN: Final = r"[-+±\u2212\uff0b]{1,4}"
_TURN: Final = "(?:有|无|是|否|没有|阳性|阴性)"
_ANSWER: Final = (
    rf"(?:(?:{_TURN}\s?(?:{BOX})\s?){{2}}|(?:(?:{BOX})\s?{_TURN}\s?){{2}}"
    rf"|{_TURN}|未见|{_SIGN}|\d\+{{0,4}}|[（(]\s?{_SIGN}\s?[)）])"
)
_FIELD: Final = re.compile(
    r"(?<![^\s,，、;；/()（）])(?P<name>[^\s:：,，、;；。()（）√×]{1,20})"
    rf"(?:\s?[:：]\s?{_ANSWER}(?=\s?(?:[,，、;；。/\s]|\Z))|[（(]\s?{_SIGN}\s?[)）]|[√×✓✗✔✘是否](?=[\s,，、;；。]|\Z))"
)
_BOX: Final = re.compile(BOX)
_CHOICE: Final = re.compile(r"(?:有|无|是|否|没有|阳性|阴性|正常|异常)\s?\Z")
_WORD: Final = re.compile(r"\w")


def _answered(text: str, begin: int, end: int, start: int, stop: int) -> Span | None:
    """From the name to the next name, where there are several and the mention is of one."""
    fields = list(_FIELD.finditer(text, begin, end))
    if len(fields) < 2:
        return None
    for i, found in enumerate(fields):
        if found.start("name") <= start and stop <= found.end("name"):
            return found.start("name"), fields[i + 1].start("name") if i + 1 < len(fields) else end
    return None


def _ticked(text: str, begin: int, end: int, start: int, stop: int) -> Span | None:
    """From the mention's box to the next one, or from the box before to its own, where the boxes stand behind names."""
    boxes = [found.span() for found in _BOX.finditer(text, begin, end)]
    if len(boxes) < 2 or any(_CHOICE.search(text, max(begin, box - 4), box) for box, _ in boxes):
        return None
    before = max((box for box in boxes if box[1] <= start), default=None)
    after = min((box for box in boxes if box[0] >= stop), default=None)
    if _lead(text, begin, end, boxes):
        return None if before is None else (before[0], end if after is None else after[0])
    return None if after is None else (begin if before is None else before[1], after[1])


def _lead(text: str, begin: int, end: int, boxes: list[Span]) -> bool:
    """Whether boxes stand before names: nothing is before the first, or something behind the last, or a gap tells."""
    first, last = boxes[0][0], boxes[-1][1]
    if not _WORD.search(text, begin, first) or text[begin:first].endswith((":", "：")):
        return True
    return bool(_WORD.search(text, last, end)) and text[first - 1].isspace()
