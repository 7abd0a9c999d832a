"""Extraction as a whole: passages of a release, or of a file, to candidates.

    passages ──rules──▶ statements ──pool──▶ candidates, each new, known or denied

Nothing is written: a candidate becomes evidence when a reviewer accepts it, see `kg_build.extract.review`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kg_build.extract.asserted import Asserted
from kg_build.extract.candidates import Candidate, pool
from kg_build.extract.dependencies import Dependencies
from kg_build.extract.passages import file_passages, release_passages
from kg_build.extract.relations import relations
from kg_build.extract.rules import Rules
from kg_build.index.terms import make_linker
from kg_build.reconcile import Tally
from kg_build.release import Release, rows
from ontology.errors import ClewError, Code, nearest
from ontology.reading.terminology import Terminology

PREDICATES: Final = tuple(sorted({m.predicate for relation in relations().values() for m in relation.meanings}))
"""The predicates that rules can state. Others, such as the causes of a disease, lead to phrases rather than to things
that running text is linked to."""


@dataclass(frozen=True)
class Extraction:
    """What was extracted.

    Attributes:
        candidates: best first.
        labels: of the entities in them.
        tally: passages, statements and candidates: in = kept + dropped(reason).
    """

    candidates: list[Candidate]
    labels: dict[str, str]
    tally: Tally


def extract(
    release: Release,
    *,
    file: Path | None = None,
    document: str | None = None,
    source: str | None = None,
    predicate: str | None = None,
    only_new: bool = False,
    parse: bool = False,
) -> Extraction:
    """Extract candidate assertions from the passages of a release, or of a file with the release's names.

    Args:
        release: what is read, and what candidates are held against.
        file: read this instead of the release's passages.
        document: only passages of this document.
        source: only passages of this source's documents.
        predicate: only candidates with this predicate.
        only_new: leave out what the release asserts or denies.
        parse: also read English sentences with a parser, see `kg_build.extract.dependencies`.

    Raises:
        ClewError: BAD_INPUT (a file beside a document or source, a document, source or predicate that is not there),
            UNREADABLE_SOURCE or MISSING_EXTRA for the file, MISSING_EXTRA for the parser, CORRUPT_RELEASE.
    """
    if file is not None and (document or source):
        raise ClewError(Code.BAD_INPUT, "a file and a document or source", remedy="give one or the other")
    if predicate is not None and predicate not in PREDICATES:
        choices = nearest(predicate, PREDICATES) or PREDICATES
        raise ClewError(Code.BAD_INPUT, f"no rule states {predicate!r}", choices=choices)
    tally = Tally("extract")
    entity = release.table("entity", ["id", "type", "label"])
    types = dict(rows(entity, "id", "type"))
    terms = Terminology.load(release.derived("terms"))
    linker = make_linker(terms)
    passages = (
        release_passages(release, types, document=document, source=source)
        if file is None
        else file_passages(file, linker)
    )
    asserted = Asserted(release, PREDICATES, lambda name: {sense.entity for sense in terms.lookup(name)})
    rules = Rules(linker, asserted, tally, Dependencies() if parse else None)
    statements = rules.read(passages, lambda curie: types.get(curie, ""))
    pooled = pool(statements, asserted)
    candidates = [c for c in pooled if _is_wanted(c, predicate, tally, only_new=only_new)]
    tally.check()
    ends = {end for c in candidates for end in (c.assertion.subject, c.assertion.object)}
    labels = {curie: label for curie, label in rows(entity, "id", "label") if curie in ends}
    return Extraction(candidates, labels, tally)


def _is_wanted(candidate: Candidate, predicate: str | None, tally: Tally, *, only_new: bool) -> bool:
    tally.read("candidate")
    if predicate is not None and candidate.assertion.predicate != predicate:
        tally.dropped("candidate", "of another predicate")
    elif only_new and candidate.standing != "new":
        tally.dropped("candidate", candidate.standing)
    else:
        tally.kept("candidate")
        return True
    return False
