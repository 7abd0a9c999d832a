"""A small graph as canonical tables, for the tests of the matrix and of diagnosis."""

from pathlib import Path

import pyarrow as pa

from kg_build.index.matrix import FindingMatrix, load_matrix
from kg_build.index.matrix_build import build_matrix
from kg_build.release import TABLES
from ontology.model import Assertion, Evidence

SEIZURE, FOCAL, SPASM, ROOT = "HP:0001250", "HP:0007359", "HP:0012469", "HP:0000118"
FEVER, OLD_FEVER, RASH = "HP:0001945", "HP:0000666", "HP:0000988"
DISEASES = {"OMIM:1": "Spasm disease", "OMIM:2": "Fever disease", "ORPHA:3": "Rash disease", "OMIM:4": "Poor",
            "ORPHA:5": "The spasm disease", "ORPHA:6": "Fever disease"}  # fmt: skip
IS_A = [(SEIZURE, ROOT), (FOCAL, SEIZURE), (SPASM, SEIZURE), (FEVER, ROOT), (RASH, ROOT)]
ROWS = [
    ("OMIM:1", SPASM, "4/5", "PCS", ("PMID:1",), False),
    ("OMIM:1", SPASM, "2/5", "PCS", ("PMID:2", "PMID:3"), False),
    ("OMIM:1", FEVER, "HP:0040283", "TAS", ("OMIM:1",), False),
    ("OMIM:2", FEVER, "80%", "PCS", ("PMID:1",), False),
    ("OMIM:2", RASH, "", "IEA", ("OMIM:2",), False),
    ("OMIM:2", SEIZURE, "", "TAS", ("PMID:4",), True),
    ("ORPHA:3", RASH, "HP:0040281", "TAS", ("ORPHA:3",), False),
    ("ORPHA:3", FEVER, "", "", (), False),
    ("OMIM:4", ROOT, "", "IEA", ("PMID:9",), False),
    ("cmekg:1", "cmekg:咳嗽", "", "", (), False),
    ("cmekg:1", "cmekg:鸡鸣样吸气吼声", "", "", (), False),
    ("cmekg:2", "cmekg:咳嗽", "", "", (), False),
    ("cmekg:2", "cmekg:咯血", "", "", (), False),
    ("cmekg:3", "cmekg:咳嗽", "", "", (), False),
]

SHARING = ["OMIM:1", "OMIM:2", "ORPHA:5"]
"""Diseases that share a gene; `OMIM:1` and `ORPHA:5` also share most of their names."""
SAME = [("OMIM:2", "ORPHA:6")]
TREATED = [("cmekg:3", 20)]
NEAR_ROWS = [
    *ROWS,
    ("ORPHA:5", RASH, "HP:0040281", "TAS", ("ORPHA:5",), False),
    ("ORPHA:5", FOCAL, "", "TAS", ("PMID:5",), False),
    ("ORPHA:6", FEVER, "HP:0040281", "TAS", ("ORPHA:6",), False),
]
"""`ROWS`, with a kindred entry of `OMIM:1` and a twin of `OMIM:2`."""


def tables(rows: list[tuple] = ROWS) -> tuple[pa.Table, pa.Table, pa.Table]:
    stated = [
        Evidence(Assertion(d, "has_phenotype", t, no), "hpo", refs, "", "", "", code=code, frequency=freq)
        for d, t, freq, code, refs, no in rows
    ] + [Evidence(Assertion(a, "subclass_of", b), "hpo", (), "", "", "") for a, b in IS_A]
    stated += [Evidence(a, "hpo", (), "", "", "") for a in _about_diseases()]
    names = {SEIZURE: "Seizure", FOCAL: "Focal", SPASM: "Spasm", ROOT: "Any", FEVER: "Fever", RASH: "Rash"}
    names |= DISEASES | {"cmekg:1": "百日咳", "cmekg:2": "肺结核", "cmekg:3": "感冒"}
    entity = [_entity(curie, label) for curie, label in names.items()]
    entity.append({**_entity(OLD_FEVER, "Pyrexia"), "deprecated": True, "replaced_by": FEVER})
    assertion = {
        e.assertion.id: {
            "id": e.assertion.id, "subject": e.assertion.subject, "predicate": e.assertion.predicate,
            "object": e.assertion.object, "negated": e.assertion.negated, "qualifiers": "",
        }
        for e in stated
    }  # fmt: skip
    evidence = [
        {"id": e.id, "assertion": e.assertion.id, "references": list(e.references), "code": e.code,
         "frequency": e.frequency, "source": e.source}
        for e in stated
    ]  # fmt: skip
    return (
        pa.Table.from_pylist(entity, schema=TABLES["entity"]),
        pa.Table.from_pylist(list(assertion.values()), schema=TABLES["assertion"]),
        pa.Table.from_pylist(evidence, schema=TABLES["evidence"]),
    )


def matrix(folder: Path, rows: list[tuple] = ROWS) -> FindingMatrix:
    build_matrix(*tables(rows), folder)
    return load_matrix(folder)


def _about_diseases() -> list[Assertion]:
    return [
        *(Assertion("NCBIGene:1", "gene_associated_with_condition", disease) for disease in SHARING),
        *(Assertion(one, "same_as", other) for one, other in SAME),
        *(Assertion(f"drug:{i}", "treats", disease) for disease, count in TREATED for i in range(count)),
    ]


def _entity(curie: str, label: str) -> dict[str, object]:
    kind = "PhenotypicFeature" if curie.startswith("HP:") else "Disease"
    return {"id": curie, "type": kind, "label": label, "lang": "en", "source": "hpo", "definition": "",
            "deprecated": False, "replaced_by": ""}  # fmt: skip
