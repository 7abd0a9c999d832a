"""`clew eval icd10`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from api.evaluation.common import measure, opened, run_options

if TYPE_CHECKING:
    from api.compose import Clew
    from reasoning.evaluation.icd10.codes import CodeBook, Term
    from reasoning.evaluation.icd10.task import Predictor


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@run_options
def icd10(file: Path, folder: Path | None, limit: int | None, peers: tuple[str, ...]) -> None:
    """Say the diagnoses of the records of a FILE, and compare terms and ICD-10 codes with theirs."""
    from reasoning.evaluation.icd10.task import DIFFERENTIAL, MENTIONED, TOP, Icd10Task, parse_record
    from reasoning.evaluation.lines import read_cases
    from reasoning.evaluation.peers import open_peers

    release = opened()
    open_peers("icd10", peers, release)  # there is none: a name is refused
    arms = {DIFFERENTIAL: by_differential(release, TOP), MENTIONED: by_mention(release)}
    task = Icd10Task(code_book(release), arms, read_cases(file, parse_record))
    measure(task, release, cases={"cases": file}, folder=folder, limit=limit, options={"top": TOP})


def code_book(release: Clew) -> CodeBook:
    """The ICD-10 names and codes of a release."""
    from kg_build.release import rows
    from reasoning.evaluation.icd10.codes import CodeBook

    names = rows(release.release.table("name", ["entity", "text"]), "entity", "text")
    mappings = rows(release.release.table("mapping"), "subject", "predicate", "object")
    return CodeBook(names, mappings, release.adjacency.same)


def by_differential(release: Clew, top: int) -> Predictor:
    """The first diseases of the differential of what is read in a text; none when nothing is understood."""
    from api.case import read_text_case
    from ontology.errors import ClewError, Code

    term = _term_maker(release)

    def predict(text: str) -> Sequence[Term]:
        try:
            findings = read_text_case(release, text).case.findings
            ranked = release.diagnosis.rank(findings, top=top).candidates
        except ClewError as error:
            if error.code is not Code.NO_FINDINGS:
                raise
            return ()
        return [term((candidate.disease, *candidate.also), candidate.label, text) for candidate in ranked]

    return predict


def by_mention(release: Clew) -> Predictor:
    """The diseases that a text names as present and for certain, each once, in the order of the text."""
    from ontology.reading.reader import CERTAIN

    term = _term_maker(release)

    def predict(text: str) -> Sequence[Term]:
        found, seen = [], set[str]()
        for reading in release.reader.read(text, types=("Disease",)).readings:
            link = reading.link
            if reading.status == "present" and link.confidence >= CERTAIN and link.entity not in seen:
                seen |= {link.entity, *release.adjacency.same(link.entity)}
                found.append(term((link.entity,), link.label, text))
        return found

    return predict


def _term_maker(release: Clew) -> Callable[[tuple[str, ...], str, str], Term]:
    """Makes a term of entities, with a name in the language of the text where they or their twins have one."""
    from ontology.reading.text import language
    from reasoning.evaluation.icd10.codes import Term

    def term(ids: tuple[str, ...], label: str, text: str) -> Term:
        lang = language(text)
        family = dict.fromkeys((*ids, *(other for curie in ids for other in release.adjacency.same(curie))))
        senses = (sense for curie in family for sense in release.terminology.by_id(curie))
        named = label if language(label) == lang else next((s.text for s in senses if s.lang.startswith(lang)), label)
        return Term(named, ids)

    return term
