"""What running text may write for a name: narrower than what the dictionary knows, and wider by other ways to say it.

Our choices:

* at least 2 characters with a Chinese one among them, or at least 3 with a letter among them;
* no name made of common English words only (`all`, `can`, `was`, `rest`);
* abbreviations, genes and names of at most 5 letters all in capitals only as they are written;
* the singular for a plural and the plural for a singular in the last word, and `Alzheimer disease` for
  `Alzheimer's disease`, unless that is another name;
* British for American spelling and the other way round (`edema`, `oedema`), Roman for Arabic numerals (`type II`,
  `type 2`), and the plain order of words for a turned one (`seizures, febrile`; `carcinoma of the breast` also as
  `breast carcinoma`), on the same condition;
* nothing across the end of a sentence, nor across a Chinese comma unless the name has one.
"""

from __future__ import annotations

import re
from typing import Final

from ontology.reading.codes import CJK
from ontology.reading.sense import Sense
from ontology.reading.text import normal_form


def is_findable(form: str) -> bool:
    """Whether a normal form is looked for in running text."""
    if _has_chinese(form):
        return len(form) >= 2
    words = [word for word in form.split() if len(word) > 1]
    return len(form) >= 3 and not _COMMON.issuperset(words) and any(map(str.isalpha, form))


def is_picky(type_name: str, text: str, kind: str) -> bool:
    """Whether a text must write the name of an entity of this type letter by letter as the source does."""
    letters = kind == "abbreviation" or type_name == "Gene" or (text.isupper() and sum(map(str.isalpha, text)) <= 5)
    return letters and not _has_chinese(text)


def has_barrier(text: str) -> bool:
    """Whether a sentence ends inside a stretch of text, or a Chinese comma stands there."""
    return not text.isalnum() and _BARRIER.search(text) is not None


def may_be_written(written: str, sense: Sense) -> bool:
    """Whether a stretch of text of the same normal form can stand for a sense, for the letters it is written in."""
    if not is_picky(sense.type, sense.text, sense.kind):
        return True
    return _NOT_LETTERS.sub("", written) == _NOT_LETTERS.sub("", sense.text)


def inflections(key: str) -> list[str]:
    """The normal form with the other number of its last word."""
    head, blank, last = key.rpartition(" ")
    if len(last) >= 3 and last.isascii() and last.isalpha():
        return [head + blank + other for other in (*_singulars(last), *_plurals(last))]
    return []


def spellings(key: str) -> list[str]:
    """The normal form in the other English spelling, and with its numerals written the other way."""
    if not key.isascii():
        return []
    american = _AMERICAN.sub(lambda m: _IN_AMERICAN[m[0]], key)
    found = [american if american != key else _BRITISH.sub(lambda m: _IN_BRITISH[m[0]], key)]
    words = key.split()
    found.append(" ".join(_numeral(word, before) for before, word in zip(["", *words], words, strict=False)))
    return [form for form in dict.fromkeys(found) if form != key]


def reordered(text: str) -> list[str]:
    """Normal forms of a name in the plain order of words, where it is turned round."""
    found = []
    if text.count(", ") == 1:
        head, _, tail = text.partition(", ")
        found.append(f"{tail} {head}")
    if (turned := _OF.fullmatch(text)) and len(turned["of"].split()) <= 3:
        found.append(f"{turned['of']} {turned['what']}")
    return [normal_form(form) for form in found]


def without_possessive(text: str) -> str:
    """The normal form of a name without its possessive s; empty when there is no apostrophe."""
    return normal_form(_POSSESSIVE.sub("", text)) if "'" in text or "’" in text else ""


def _has_chinese(text: str) -> bool:
    return not text.isascii() and _CHINESE.search(text) is not None


def _singulars(word: str) -> list[str]:
    if word.endswith("ies") and len(word) > 4:
        return [word[:-3] + "y"]
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return [word[:-2]]
    if word.endswith(("oses", "yses", "tases", "heses")):
        return [word[:-2] + "is"]
    if len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ous")):
        return [word[:-1]]
    return []


def _plurals(word: str) -> list[str]:
    if word.endswith("y") and word[-2] not in "aeiou":
        return [word[:-1] + "ies"]
    if word.endswith("is"):
        return [word[:-2] + "es"]
    if word.endswith(("ss", "us", "x", "z", "ch", "sh")):
        return [word + "es"]
    return [] if word.endswith("s") else [word + "s"]


def _numeral(word: str, before: str) -> str:
    """A numeral in the other figures; one letter alone is one only after a word that wants a number."""
    if word in _ROMAN and (len(word) > 1 or before in _NUMBERED):
        return _ROMAN[word]
    return _ARABIC[word] if word in _ARABIC and before in _NUMBERED else word


_CHINESE: Final = re.compile(rf"[{CJK}]")
_ROMAN: Final = {roman: str(at) for at, roman in enumerate("i ii iii iv v vi vii viii ix x xi xii xiii".split(), 1)}
_ARABIC: Final = {arabic: roman for roman, arabic in _ROMAN.items()}
_NUMBERED: Final = frozenset("type grade stage class factor group phase deficiency disease syndrome nerve".split())
_OF: Final = re.compile(
    r"(?P<what>(?:(?!\b(?:of|in|to|with)\b)[^,()])+?) of (?:the )?(?P<of>(?:(?!\b(?:of|in|to|with|and|or|by|for)\b)[^,()])+)"
)
_SPELLINGS: Final = """
edema oedema · esophag oesophag · estrogen oestrogen · rrhea rrhoea · anemi anaemi ·
cemia caemia · glycemi glycaemi · kalemi kalaemi · natremi natraemi · lipidemi lipidaemi · uremi uraemi · ischemi ischaemi ·
leukemi leukaemi · calcemi calcaemi · xemi xaemi · hemo haemo · hema haema · hemi haemi · pediat paediat · orthopedic
orthopaedic · gynec gynaec · fetal foetal · fetus foetus · tumor tumour · color colour · celiac coeliac · cecum caecum ·
cecal caecal · anesthe anaesthe · etiolog aetiolog · fiber fibre · sulf sulph · caliber calibre · odor odour ·
behavior behaviour · labor labour · pnea pnoea · ameba amoeba ·
ization isation · paralyz paralys · center centre · gray grey · mold mould
"""
_PAIRS: Final = [(row_pair[0], row_pair[1]) for row in _SPELLINGS.split("·") if len(row_pair := row.split()) == 2]
_IN_BRITISH: Final = dict(_PAIRS)
_IN_AMERICAN: Final = {british: american for american, british in _PAIRS}
_BRITISH: Final = re.compile("|".join(sorted((re.escape(word) for word in _IN_BRITISH), key=len, reverse=True)))
_AMERICAN: Final = re.compile("|".join(sorted((re.escape(word) for word in _IN_AMERICAN), key=len, reverse=True)))
_NOT_LETTERS: Final = re.compile(r"[\W_]+")
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_BARRIER: Final = re.compile(rf"[。；！？;!?，、：:]|[{CJK}],|,\s*[{CJK}]|[\r\n]\s*[\r\n]|[^\W\d_]{{3}}[)\]]?\.\s")
_COMMON_TEXT: Final = """
about above after again all also although always among and another any apart are around away back bad
because been before being below best better between both but came can come could day days did does done
down due during each early either else ever every far feel felt few first for from full gave get give
given goes gone good got had half has have having her here him his how however into its itself just keep
kept kind last late later left less like long lot low made make man many may men might more most much must
near need never new next nor not now off often old once one only other our out over own part past per put
rest right said same saw see seem seen set several she short should side since six some soon still such
sure take taken than that the their them then there these they thing this those though three through thus
time too took try two under until upon use used very want was way week well went were what when where
which while who whole whose why will with within without work would year years yes yet you your
"""
_COMMON: Final = frozenset(_COMMON_TEXT.split())
