"""KGX: the graph as two tab-separated tables in Biolink's terms, with its sources beside them.

    FOLDER/nodes.tsv    one row per entity
    FOLDER/edges.tsv    one row per row of evidence: Biolink gives an edge one primary source, one knowledge level and
                        one agent. `assertion` says which rows support the same statement, `negated` which deny theirs
    FOLDER/sources.tsv  whom to name, and under which licence each source is

The format has no escapes. A list is written with bars: a bar within its values becomes a broken one (¦); a tab or a
line break becomes a blank. What is not so is empty (readers take any text, `false` too, for true). Types and predicates
of ours stand in `type` and `original_predicate`, since Biolink has some of them only in a broader sense; there a denial
is `not_…`. Columns that Biolink has no name for have that of the canonical tables.

Specification: https://biolink.github.io/kgx/kgx_format.html
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from kg_build.identity import Bridges
from kg_build.licence import Attribution
from kg_build.release import rows
from ontology.schema import Domain, relation_name

ECO: Final = {"IEA": "ECO:0000501", "PCS": "ECO:0006017", "TAS": "ECO:0000304"}
"""Evidence codes as terms of the Evidence and Conclusion Ontology."""

_SEX: Final = {"MALE": "PATO:0000384", "FEMALE": "PATO:0000383"}
_REGISTERED: Final = {"hpo": "hpo-annotations"}
"""Sources that the registry of information resources knows under another name."""

_SYNONYMS: Final = ("synonym", "broad_synonym", "narrow_synonym", "related_synonym")
_MATCHES: Final = {"skos:closeMatch": "close_match", "skos:broadMatch": "broad_match"}
_MAPPED: Final = ("xref", *_MATCHES.values())
_ROWS: Final = 50_000
"""Rows that are text in memory at once."""

_TEXT: Final = pa.string()
_Columns = Mapping[str, Any]


def write_kgx(
    tables: Mapping[str, pa.Table], sources: Sequence[Attribution], folder: Path, domain: Domain
) -> dict[str, int]:
    """Write the graph into an empty folder; returns the rows of each file.

    Args:
        tables: `entity`, `name`, `mapping`, `assertion` and `evidence` of the canonical tables.
        sources: whose data it is.
        folder: where.
        domain: the ontology file.
    """
    files = {
        "nodes.tsv": (tables["entity"], _nodes(tables, domain)),
        "edges.tsv": (_with_places(tables["evidence"], tables["assertion"]), _edges(tables["assertion"], domain)),
        "sources.tsv": (pa.Table.from_pylist([_source(source) for source in sources]), _as_it_is),
    }
    for name, (table, columns) in files.items():
        _write(folder / name, table, columns)
    return {name: table.num_rows for name, (table, _) in files.items()}


def _as_it_is(table: pa.Table) -> _Columns:
    return {name: table[name] for name in table.column_names}


def infores(source: str) -> str:
    """The identifier of a source as an information resource."""
    return f"infores:{_REGISTERED.get(source, source.replace('_', '-'))}"


def _source(source: Attribution) -> dict[str, str]:
    return {
        "id": infores(source.source),
        "source": source.source,
        "title": source.title,
        "release": source.release,
        "licence": source.licence,
        "attribution": source.attribution,
    }


def _nodes(tables: Mapping[str, pa.Table], domain: Domain) -> Callable[[pa.Table], _Columns]:
    """What makes the columns of nodes from rows of `entity`."""
    synonyms = _lists(tables["name"], "entity", "text", "kind", _synonym)
    matches = _lists(tables["mapping"], "subject", "object", "predicate", lambda name: _MATCHES.get(name, "xref"))
    lists = [(kind, synonyms[kind]) for kind in _SYNONYMS] + [(kind, matches[kind]) for kind in _MAPPED]

    def columns(entity: pa.Table) -> _Columns:
        named = list(rows(entity, "id", "label"))
        return {
            "id": entity["id"],
            "category": _each(entity["type"], lambda name: domain.types[name].biolink),
            "name": entity["label"],
            "description": entity["definition"],
            **{kind: [_bars(sorted(found.get(i, set()) - {label})) for i, label in named] for kind, found in lists},
            "provided_by": _each(entity["source"], infores),
            "deprecated": _marked(entity["deprecated"]),
            "type": entity["type"],
        }

    return columns


def _with_places(evidence: pa.Table, assertion: pa.Table) -> pa.Table:
    """Rows of evidence with the place of their assertion in its table."""
    places = pc.index_in(evidence["assertion"], value_set=assertion["id"].combine_chunks())
    return evidence.append_column("place", places)


def _edges(assertion: pa.Table, domain: Domain) -> Callable[[pa.Table], _Columns]:
    """What makes the columns of edges from rows of `evidence` with their places in `assertion`."""

    def columns(evidence: pa.Table) -> _Columns:
        stated = assertion.take(evidence["place"])
        return {
            "id": evidence["id"],
            "subject": stated["subject"],
            "predicate": _each(stated["predicate"], lambda name: domain.predicates[name].biolink),
            "object": stated["object"],
            "category": ["biolink:Association"] * evidence.num_rows,
            "negated": _marked(stated["negated"]),
            "primary_knowledge_source": _each(evidence["source"], infores),
            "aggregator_knowledge_source": [infores(Bridges.key)] * evidence.num_rows,
            "knowledge_level": evidence["knowledge_level"],
            "agent_type": evidence["agent_type"],
            "publications": [_bars(cited) for cited in evidence["references"].to_pylist()],
            "has_evidence": _each(evidence["code"], lambda code: ECO.get(code, "")),
            "supporting_text": [_bars([quote]) for quote in evidence["quote"].to_pylist()],
            "frequency_qualifier": evidence["frequency"],
            "onset_qualifier": evidence["onset"],
            "sex_qualifier": _each(evidence["sex"], lambda sex: _SEX.get(sex, sex)),
            "original_predicate": [
                f"clew:{relation_name(name, negated=negated)}" for name, negated in rows(stated, "predicate", "negated")
            ],
            "assertion": evidence["assertion"],
            "qualifiers": stated["qualifiers"],
            "modifiers": [_bars(terms) for terms in evidence["modifiers"].to_pylist()],
            **{name: evidence[name] for name in ("code", "source_release", "licence", "record", "agent", "document")},
        }

    return columns


def _write(path: Path, table: pa.Table, columns: Callable[[pa.Table], _Columns]) -> None:
    """Write a table as columns say, some rows at a time."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.write("\t".join(columns(table.slice(0, 0))) + "\n")
        for start in range(0, table.num_rows, _ROWS):
            found = columns(table.slice(start, _ROWS)).values()
            stream.writelines(f"{line}\n" for line in _lines(found))


def _lines(columns: Iterable[Any]) -> list[str]:
    arrays = (pa.chunked_array([pa.array(column, _TEXT)]) if isinstance(column, list) else column for column in columns)
    plain = (pc.replace_substring_regex(pc.fill_null(column, ""), r"[\t\r\n\v\f]+", " ") for column in arrays)
    lines: list[str] = pc.binary_join_element_wise(*(column.combine_chunks() for column in plain), "\t").to_pylist()
    return lines


def _lists(
    table: pa.Table, owner: str, value: str, kind: str, column: Callable[[str], str]
) -> dict[str, dict[str, set[str]]]:
    """The values of each owner, by the column that their kind goes to."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for key, text, of_kind in rows(table, owner, value, kind):
        found[column(of_kind)][key].add(text)
    return found


def _synonym(kind: str) -> str:
    return f"{kind}_synonym" if f"{kind}_synonym" in _SYNONYMS else "synonym"


def _each(column: pa.ChunkedArray, change: Callable[[str], str]) -> list[str]:
    """The values of a column that has few, changed."""
    changed = {value: change(value) for value in pc.unique(column).to_pylist()}
    return [changed[value] for value in column.to_pylist()]


def _marked(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(column, "true", "")


def _bars(values: Iterable[str]) -> str:
    return "|".join(value.replace("|", "¦") for value in values)
