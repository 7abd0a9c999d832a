"""What reviewers have accepted of the statements that `clew extract --out` found in texts.

    JSON Lines of kg_build.extract.review ──▶ Evidence, `manual_validation_of_automated_agent`

A line counts when its `accepted` is true and its `reviewer` says who decided; the evidence is each of its quotes that
is what its passage says at its place. What nobody has decided on, or somebody has rejected, is dropped with that
reason. No entity comes from here: a statement about one that the other sources do not have is dropped when the graph
is collected, as is one that the ontology does not allow.

A person vouches for the statement (`knowledge_assertion`); the machine's share stays visible in the agent type, and
the rule that found it in the evidence code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from kg_build.extract.review import Quote, Review
from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import json_lines
from kg_build.sources.texts import LONGEST_NAME, is_id
from ontology.model import Evidence

_LINE: Final = "candidate"
_QUOTE: Final = "quote"


class Accepted:
    """The source; see the module's text."""

    contract = CONTRACT
    key = "accepted"
    title = "Statements found in texts and accepted by reviewers"
    release = "local"
    licence = "that of the texts quoted"
    attribution = "the reviewers; the texts belong to their own sources"
    redistributable = False
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = (
        Original("accepted", ("accepted.jsonl",), "the file that `clew extract --out` writes, after review"),
    )

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield the evidence of what was accepted; see `contract.Source.read`."""
        for _, line in json_lines(files["accepted"], tally, _LINE):
            review = _review(line)
            if isinstance(review, str):
                tally.dropped(_LINE, review, example=str(line.get("quote", line.get("subject", "")))[:LONGEST_NAME])
                continue
            tally.read(_QUOTE, len(review.evidence))
            holding = [quote for quote in review.evidence if quote.holds]
            if astray := len(review.evidence) - len(holding):
                tally.dropped(_QUOTE, "is not what its passage says", astray, example=review.evidence[0].quote)
            if not holding:
                tally.dropped(_LINE, "no quote that its passage has", example=f"{review.subject} {review.object}")
                continue
            tally.kept(_LINE)
            tally.kept(_QUOTE, len(holding))
            for quote in holding:
                yield _evidence(review, quote)


def _review(line: Mapping[str, Any]) -> Review | str:
    """An accepted candidate, or the reason why it is none."""
    try:
        review = Review.model_validate(line, strict=True)
    except ValidationError:
        return "not a line of a review"
    reviewer = review.reviewer.strip()
    ids = (review.subject, review.object, *(quote.document for quote in review.evidence))
    faults = (
        (review.accepted is None, "not reviewed"),
        (not reviewer, "decided by nobody: no reviewer is named"),
        (review.accepted is False, "rejected by its reviewer"),
        (not all(map(is_id, ids)), "id is not a CURIE"),
    )
    return next((reason for fails, reason in faults if fails), review)


def _evidence(review: Review, quote: Quote) -> Evidence:
    return Evidence(
        assertion=review.assertion,
        source=Accepted.key,
        references=tuple(quote.references),
        record=f"{quote.chunk}:{quote.start}-{quote.end}",
        knowledge_level="knowledge_assertion",
        agent_type="manual_validation_of_automated_agent",
        code=quote.rule,
        quote=quote.quote,
        document=quote.document,
        agent=review.reviewer.strip(),
    )


SOURCE: Final = Accepted()
