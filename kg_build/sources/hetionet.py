"""Hetionet v1.0: diseases with symptoms and sites, drugs with indications, classes and targets, and disease genes.

    nodes  ──kind──▶ entities, once a kept statement speaks of them
    edges  ──metaedge──▶ statements
    CbG    drug–gene bindings with their PMIDs                  DaG    disease–gene associations with their sources

The edge list says nothing of where an edge comes from: that is known by metaedge. Symptoms and sites were found by
co-occurrence in MEDLINE; indications were judged by physicians. The two tables name sources and licence per row;
both stay with the evidence, the sources as its code and the licence in its quote, which is the row.

A binding is more than a target, and one row may say several things:

    what merely handles a drug (DrugBank's enzymes, transporters, carriers) is no target, unless the row names another
    source or another action than `substrate`     ──▶ has_target of the others
    an enzyme, and the drug is its substrate      ──▶ metabolised_by
    a transporter of which it is the substrate, or a carrier: these are named for what they do ──▶ transported_by

An enzyme or transporter whose action is not stated may just as well be inhibited: such rows are left out.

Licences: Hetionet is CC0, its parts keep theirs. Of the tables, most bindings are CC BY-NC 4.0 (DrugBank), which
forbids commercial use; bindings of PDSP Ki, PubChem and US patents alone, and associations of DOAF alone or of
DisGeNET with others, state none. So a release that holds this source is not to be passed on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import table_rows
from kg_build.sources.texts import is_id, is_name
from ontology.model import Assertion, Entity, Evidence, Name
from ontology.reading.text import normal_form

_KEY: Final = "hetionet"
_KINDS: Final = {
    "Disease": ("Disease", ""),
    "Symptom": ("PhenotypicFeature", "MESH:"),
    "Side Effect": ("PhenotypicFeature", "UMLS:"),
    "Anatomy": ("AnatomicalEntity", ""),
    "Compound": ("Drug", "DRUGBANK:"),
    "Gene": ("Gene", "NCBIGene:"),
    "Pharmacologic Class": ("DrugClass", "NDFRT:"),
}
"""Type of a kind of node, and the prefix that its ids lack."""


@dataclass(frozen=True)
class _Metaedge:
    """How a metaedge is read.

    Attributes:
        predicate: ours.
        ends: kinds of its source and target.
        level: Biolink knowledge level.
        agent: Biolink agent type.
        reverse: whether the target is the subject.
    """

    predicate: str
    ends: tuple[str, str]
    level: str
    agent: str
    reverse: bool = False


_METAEDGES: Final = {
    "DpS": _Metaedge("has_phenotype", ("Disease", "Symptom"), "statistical_association", "text_mining_agent"),
    "DlA": _Metaedge("located_in", ("Disease", "Anatomy"), "statistical_association", "text_mining_agent"),
    "CtD": _Metaedge("treats", ("Compound", "Disease"), "knowledge_assertion", "manual_agent"),
    "CpD": _Metaedge("ameliorates_condition", ("Compound", "Disease"), "knowledge_assertion", "manual_agent"),
    "CcSE": _Metaedge("has_adverse_event", ("Compound", "Side Effect"), "knowledge_assertion", "text_mining_agent"),
    "PCiC": _Metaedge(
        "in_drug_class", ("Pharmacologic Class", "Compound"), "knowledge_assertion", "manual_agent", reverse=True
    ),
}
_TABLES: Final = ("CbG", "DaG")
_ENZYME: Final = "DrugBank (enzyme)"
_TRANSPORTER: Final = "DrugBank (transporter)"
_CARRIER: Final = "DrugBank (carrier)"
_SUBSTRATE: Final = "substrate"


@dataclass
class _Node:
    """A node; `names` are those that records gave it so far."""

    id: str
    kind: str
    label: str
    line: int
    names: set[str] = field(default_factory=set)


class Hetionet:
    """The source; see the module's text."""

    contract = CONTRACT
    key = _KEY
    title = "Hetionet"
    release = "1.0"
    licence = "CC0 1.0; tables: CC BY-NC 4.0, CC BY-SA 3.0, CC BY 4.0, CC BY 3.0, ODbL 1.0 or none stated, row by row"
    attribution = (
        "Himmelstein DS et al. Systematic integration of biomedical knowledge prioritizes drugs for repurposing. "
        "eLife 2017;6:e26726. https://het.io"
    )
    redistributable = False
    artefacts: tuple[Artefact, ...] = ()
    originals: tuple[Original, ...] = (
        Original(
            "hetionet_nodes",
            ("hetionet-v1.0-nodes.tsv", "nodes.tsv"),
            "https://github.com/hetio/hetionet/tree/main/hetnet/tsv",
        ),
        Original(
            "hetionet_edges",
            ("hetionet-v1.0-edges.sif", "edges_complete.tsv"),
            "https://github.com/hetio/hetionet/tree/main/hetnet/tsv",
        ),
        Original(
            "hetionet_bindings",
            ("CbG-binding.tsv",),
            "https://github.com/dhimmel/integrate/tree/master/compile",
            optional=True,
        ),
        Original(
            "hetionet_associations",
            ("DaG-association.tsv",),
            "https://github.com/dhimmel/integrate/tree/master/compile",
            optional=True,
        ),
    )

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield entities, names and evidence; see `contract.Source.read`."""
        reader = _Reader(files, tally)
        yield from reader.edges()
        if "hetionet_bindings" in files:
            yield from reader.bindings()
        if "hetionet_associations" in files:
            yield from reader.associations()
        reader.count_nodes()


class _Reader:
    """One pass over the files, with the nodes by their id in the file."""

    def __init__(self, files: Mapping[str, Path], tally: Tally) -> None:
        self.files = files
        self.tally = tally
        self.nodes: dict[str, _Node] = {}
        self.stated: set[str] = set()
        for line, row in table_rows(files["hetionet_nodes"], tally, "node", ("id", "name", "kind")):
            kind, _, local = row["id"].partition("::")
            if kind != row["kind"] or not is_name(row["name"]):
                tally.dropped("node", "id is not of its kind, or without a name")
            elif kind not in _KINDS:
                tally.dropped("node", f"{kind[:80]}: no such type in the ontology")
            elif not is_id(curie := _KINDS[kind][1] + local):
                tally.dropped("node", "id is not a CURIE")
            elif row["id"] in self.nodes:
                tally.dropped("node", "id again")
            else:
                self.nodes[row["id"]] = _Node(curie, kind, row["name"].strip(), line)

    def edges(self) -> Iterator[Record]:
        path = self.files["hetionet_edges"]
        for line, row in table_rows(path, self.tally, "edge", ("source", "metaedge", "target")):
            metaedge = _METAEDGES.get(row["metaedge"])
            if metaedge is None:
                reason = (
                    "its own table says more" if row["metaedge"] in _TABLES else "no such predicate in the ontology"
                )
                self.tally.dropped("edge", f"{row['metaedge'][:80]}: {reason}")
                continue
            ends = self.nodes.get(row["source"]), self.nodes.get(row["target"])
            if ends[0] is None or ends[1] is None or (ends[0].kind, ends[1].kind) != metaedge.ends:
                self.tally.dropped("edge", f"{row['metaedge']}: an end is not among the nodes of its kind")
                continue
            subject, object_ = (ends[1], ends[0]) if metaedge.reverse else (ends[0], ends[1])
            evidence = Evidence(
                Assertion(subject.id, metaedge.predicate, object_.id),
                _KEY,
                (),
                f"{path.name}:{line}",
                metaedge.level,
                metaedge.agent,
                code=row["metaedge"],
                quote="\t".join(row.values()),
            )
            repeated = {ends[0].id: row.get("source_name", ""), ends[1].id: row.get("target_name", "")}
            yield from self._state("edge", [evidence], (subject, object_), repeated)

    def bindings(self) -> Iterator[Record]:
        path = self.files["hetionet_bindings"]
        columns = ("drugbank_id", "entrez_gene_id", "sources", "pubmed_ids", "actions", "license", "urls")
        for line, row in table_rows(path, self.tally, "binding", columns):
            drug = self.nodes.get(f"Compound::{row['drugbank_id']}")
            gene = self.nodes.get(f"Gene::{row['entrez_gene_id']}")
            predicates = _binding(set(row["sources"].split("|")), set(row["actions"].split("|")))
            if drug is None or gene is None:
                reason = "compound is not among the nodes" if drug is None else "gene is not among the nodes"
                self.tally.dropped("binding", reason)
            elif not predicates:
                self.tally.dropped("binding", "an enzyme or transporter whose action is not stated")
            else:
                stated = [
                    Evidence(
                        Assertion(drug.id, predicate, gene.id),
                        _KEY,
                        _references(row),
                        f"{path.name}:{line}",
                        "knowledge_assertion",
                        "not_provided",
                        code=row["sources"],
                        quote="\t".join(row.values()),
                    )
                    for predicate in predicates
                ]
                yield from self._state("binding", stated, (drug, gene), {})

    def associations(self) -> Iterator[Record]:
        path = self.files["hetionet_associations"]
        columns = ("doid_id", "doid_name", "entrez_gene_id", "gene_symbol", "sources", "license")
        for line, row in table_rows(path, self.tally, "association", columns):
            disease = self.nodes.get(f"Disease::{row['doid_id']}")
            gene = self.nodes.get(f"Gene::{row['entrez_gene_id']}")
            if disease is None or gene is None:
                reason = "disease is not among the nodes" if disease is None else "gene is not among the nodes"
                self.tally.dropped("association", reason)
                continue
            evidence = Evidence(
                Assertion(gene.id, "gene_associated_with_condition", disease.id),
                _KEY,
                (),
                f"{path.name}:{line}",
                "statistical_association",
                "not_provided",
                code=row["sources"],
                quote="\t".join(row.values()),
            )
            repeated = {disease.id: row["doid_name"], gene.id: row["gene_symbol"]}
            yield from self._state("association", [evidence], (gene, disease), repeated)

    def _state(
        self, row: str, stated: list[Evidence], ends: tuple[_Node, _Node], repeated: Mapping[str, str]
    ) -> Iterator[Record]:
        """What a row states, if it is new, after its ends; a label it repeats differently is another exact name."""
        fresh = [evidence for evidence in stated if evidence.id not in self.stated]
        if not fresh:
            self.tally.dropped(row, "repeats a row")
            return
        self.stated |= {evidence.id for evidence in fresh}
        self.tally.kept(row)
        for node in ends:
            if not node.names:
                node.names.add(normal_form(node.label))
                yield Entity(node.id, _KINDS[node.kind][0], node.label, "en", _KEY)
                yield Name(node.id, "en", node.label, "label", _KEY, f"nodes:{node.line}")
            other = repeated.get(node.id, "").strip()
            if is_name(other) and (form := normal_form(other)) not in node.names:
                node.names.add(form)
                yield Name(node.id, "en", other, "exact", _KEY, fresh[0].record)
        yield from fresh

    def count_nodes(self) -> None:
        """Nodes are kept when a kept statement speaks of them."""
        for node in self.nodes.values():
            if node.names:
                self.tally.kept("node")
            else:
                self.tally.dropped("node", f"{node.kind}: in no statement that is kept")


def _binding(sources: set[str], actions: set[str]) -> list[str]:
    """What a binding with these sources and actions states, as predicates; see the module's text."""
    handled_only = sources <= {_ENZYME, _TRANSPORTER, _CARRIER} and actions <= {"", _SUBSTRATE}
    substrate = _SUBSTRATE in actions
    holds = {
        "has_target": not handled_only,
        "metabolised_by": _ENZYME in sources and substrate,
        "transported_by": _CARRIER in sources or (_TRANSPORTER in sources and substrate),
    }
    return [predicate for predicate, applies in holds.items() if applies]


def _references(row: Mapping[str, str]) -> tuple[str, ...]:
    articles = [f"PMID:{part}" for part in row["pubmed_ids"].split("|") if part.isdigit()]
    pages = [part for part in row["urls"].split("|") if part.startswith(("http://", "https://"))]
    return (*articles, *pages)


SOURCE: Final = Hetionet()
