"""Values in lines of notes: what is stated, in which unit, and where it lies.

Each case is a line and everything it states, in order: `age P67Y`, `sex MALE`, `lasted P3D`, `ago P2D`,
`onset P5Y`, and of measurements name, number, unit and level.
"""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.reading.values import Value, find_values

ENGLISH = [
    ("67 yo M with cough x 2 weeks.", "age P67Y; sex MALE; lasted P2W"),
    ("A 34-year-old woman presents with a three-day history of headache.", "age P34Y; sex FEMALE; lasted P3D"),
    ("This 5-month-old boy was brought in by his mother.", "age P5M; sex MALE"),
    ("The patient is a 72 y/o F with dyspnea for 3 days.", "age P72Y; sex FEMALE; lasted P3D"),
    ("Patient aged 5 months with poor feeding.", "age P5M"),
    ("Newborn girl with jaundice.", "age P0D; sex FEMALE"),
    ("45F with chest pain", "age P45Y; sex FEMALE"),
    ("Sex: F, Age: 52", "sex FEMALE; age P52Y"),
    ("A forty-two-year-old man fell.", "age P42Y; sex MALE"),
    ("An 18-month-old girl cannot walk.", "age P1Y6M; sex FEMALE"),
    ("A 3 year 2 month old boy", "age P3Y2M; sex MALE"),
    ("Seizures since age 5.", "onset P5Y"),
    ("He lost the ability to walk at 6 years of age.", "onset P6Y"),
    ("Hypotonia was noticed at 6 months of age.", "onset P6M"),
    ("Symptoms began at the age of 12.", "onset P12Y"),
    ("Deaf since birth.", "onset P0D"),
    ("Age of onset 14, slowly worse since.", "onset P14Y"),
    ("Fever for two days, no rash.", "lasted P2D"),
    ("Fatigue over the past 6 months.", "lasted P6M"),
    ("Pain lasting about 3 hours.", "lasted PT3H"),
    ("She has had 2-3 weeks of diarrhea.", "lasted P2W"),
    ("Symptoms began 2 weeks ago.", "ago P2W"),
    ("Stroke five years ago.", "ago P5Y"),
    ("Half a year of weight loss.", "lasted P6M"),
    ("His 5-year-old brother has asthma.", ""),
    ("Her mother died at 60 years of stroke.", ""),
    ("The father, 45 years old, is healthy.", ""),
    ("Return in 2 weeks.", ""),
    ("Born at 32 weeks gestation.", ""),
    ("T 39.2, HR 110, RR 24, BP 150/95, SpO2 88% on RA.", (
        "temperature 39.2 °C high; heart rate 110 /min high; respiratory rate 24 /min high; "
        "blood pressure 150/95 mmHg high; oxygen saturation 88 % low")),
    ("Vitals: Temp 36.8°C, pulse 72 bpm, BP 118/76 mmHg, resp 16.", (
        "temperature 36.8 °C normal; heart rate 72 /min normal; blood pressure 118/76 mmHg normal; "
        "respiratory rate 16 /min normal")),
    ("Fever of 101 F yesterday.", "temperature 38.33 °C high"),
    ("Temperature was 34.1 C on arrival.", "temperature 34.1 °C low"),
    ("She was febrile to 39.4 °C.", "temperature 39.4 °C high"),
    ("BP 82/50, heart rate of 48.", "blood pressure 82/50 mmHg low; heart rate 48 /min low"),
    ("SBP 85 after fluids.", "systolic blood pressure 85 mmHg low"),
    ("Weight 154 lb, height 170 cm.", "weight 69.85 kg; height 170 cm"),
    ("Na 128 mmol/L, K+ 6.1, Cl 100.", "sodium 128 mmol/L low; potassium 6.1 mmol/L high; chloride 100 mmol/L normal"),
    ("Hb 8.2 g/dL, MCV 72, platelets 45k", (
        "hemoglobin 82 g/L low; mean corpuscular volume 72 fL low; platelets 45 10^9/L low")),
    ("WBC 15.2 x10^9/L with 88% neutrophils.", "white blood cells 15.2 10^9/L high"),
    ("WBC 2,100/uL, ANC 600/uL.", "white blood cells 2.1 10^9/L low; neutrophils 0.6 10^9/L low"),
    ("Platelet count was 45,000.", "platelets 45 10^9/L low"),
    ("Glucose 250 mg/dL, HbA1c 9.1%.", "glucose 13.88 mmol/L high; hemoglobin A1c 9.1 % high"),
    ("Creatinine rose to 2.1 mg/dl; BUN 45 mg/dL.", (
        "creatinine 185.7 umol/L high; blood urea nitrogen 16.06 mmol/L high")),
    ("ALT 120 U/L, AST 35 U/L, total bilirubin 3.2 mg/dL.", (
        "alanine aminotransferase 120 U/L high; aspartate aminotransferase 35 U/L normal; "
        "total bilirubin 54.73 umol/L high")),
    ("CRP 85 mg/L, ESR 60 mm/h, procalcitonin 4 ng/mL.", (
        "C-reactive protein 85 mg/L high; erythrocyte sedimentation rate 60 mm/h high; procalcitonin 4 ug/L high")),
    ("TSH <0.01, free T4 3.2 ng/dL.", "thyroid-stimulating hormone <0.01 mIU/L low; free thyroxine 41.18 pmol/L high"),
    ("Troponin 0.8 ng/mL (ref <0.04).", "troponin 0.8 ug/L high"),
    ("Potassium 2.9 (L), magnesium 1.2 mg/dL.", "potassium 2.9 mmol/L low; magnesium 0.4937 mmol/L low"),
    ("Calcium 12.1 mg/dL, phosphate 1.8 mg/dL.", "calcium 3.019 mmol/L high; phosphate 0.5812 mmol/L low"),
    ("Hemoglobin (Hgb) was 13.1 g/dL (13.5-17.5).", "hemoglobin 131 g/L low"),
    ("INR 2.3, aPTT 50 sec, D-dimer 2.1 mg/L.", (
        "international normalized ratio 2.3 high; partial thromboplastin time 50 s high; D-dimer 2.1 mg/L high")),
    ("ABG: pH 7.21, pCO2 60 mmHg, HCO3 18, lactate 4.5 mmol/L.", (
        "blood pH 7.21 low; carbon dioxide tension 60 mmHg high; bicarbonate 18 mmol/L low; lactate 4.5 mmol/L high")),
    ("Ferritin 5 ng/mL, vitamin B12 120 pg/mL.", "ferritin 5 ug/L low; vitamin B12 88.54 pmol/L low"),
    ("LDL 190 mg/dL, triglycerides 400 mg/dL, HDL 30 mg/dL.", (
        "low-density lipoprotein cholesterol 4.913 mmol/L high; triglycerides 4.516 mmol/L high; "
        "high-density lipoprotein cholesterol 0.7758 mmol/L low")),
    ("CSF: WBC 200, protein 120 mg/dL, glucose 20 mg/dL.", (
        "CSF white blood cells 200 /uL high; CSF protein 1.2 g/L high; CSF glucose 1.11 mmol/L low")),
    ("Urine protein 3+, ketones negative.", "urine protein 3 + high; urine ketones normal"),
    ("UA: protein 1+, WBC 25/hpf.", "urine protein 1 + high; urine white blood cells 25 /hpf high"),
    ("Urinalysis: protein 3+, blood 2+, WBC >50/hpf.", (
        "urine protein 3 + high; urine white blood cells >50 /hpf high")),
    ("Height 142 cm (<3rd percentile).", "height 142 cm"),
    ("Blood pressure on arrival was 88/54.", "blood pressure 88/54 mmHg low"),
    ("Ascites and edema, albumin 24 g/L.", "albumin 24 g/L low"),
    ("T 37.1 HR 112 BP 148/92", (
        "temperature 37.1 °C normal; heart rate 112 /min high; blood pressure 148/92 mmHg high")),
    ("WBC 13.4 Hgb 10.2 Plt 210", (
        "white blood cells 13.4 10^9/L high; hemoglobin 102 g/L low; platelets 210 10^9/L normal")),
    ("Low IgG2, PTH1 receptor, IL-2.", ""),
    ("The female germ cell and male genitalia were examined.", ""),
    ("T 98 F, Hb 12.5 g/dL", "temperature 36.67 °C normal; hemoglobin 125 g/L normal"),
    ("Children older than 5 years, adults aged 18 years or older.", ""),
    ("Urine sodium 20 mmol/L.", "sodium (urine) 20 mmol/L"),
    ("Pleural fluid LDH 900 U/L.", "lactate dehydrogenase (fluid) 900 U/L"),
    ("Creatinine 12.", "creatinine 12"),
    ("NH3 180 umol/L, ammonia 300 ug/dL.", "ammonia 180 umol/L high; ammonia 176.2 umol/L high"),
    ("A 4-year-old boy, creatinine 30 umol/L, Hb 100 g/L.", (
        "age P4Y; sex MALE; creatinine 30 umol/L; hemoglobin 100 g/L low")),
    ("A 2-year-old girl, RR 46, HR 130.", "age P2Y; sex FEMALE; respiratory rate 46 /min high; heart rate 130 /min"),
    ("Aspirin 100 mg daily and iron 325 mg.", ""),
    ("Vitamin D 1000 IU, sodium bicarbonate 650 mg, KCl 40 mEq.", ""),
    ("Insulin 10 units, albumin 25 g IV, platelets 2 units.", ""),
    ("GCS 15, ASA 2, NYHA 3, Apgar 8/9.", ""),
    ("See page 67, call 555-1234, seen on 2023-01-05 at 10:30.", ""),
    ("Stage T2 N1 M0, level C3-4, 12/03/2021.", ""),
    ("K 555-1234, Na 12/03, WBC 2023-01-05", ""),
    ("Amoxicillin 500 mg every 8 hours.", ""),
]  # fmt: skip

CHINESE = [
    ("男，45岁，反复咳嗽3年，加重2天。", "sex MALE; age P45Y; lasted P3Y; lasted P2D"),
    ("患儿，女，3岁2月，发热三天。", "sex FEMALE; age P3Y2M; lasted P3D"),
    ("患者男性，67岁。", "sex MALE; age P67Y"),
    ("患者，女性，58岁，因头痛半年入院。", "sex FEMALE; age P58Y; lasted P6M"),
    ("性别：女　年龄：36岁", "sex FEMALE; age P36Y"),
    ("年龄：45，性别：男", "age P45Y; sex MALE"),
    ("男婴，生后5天，皮肤黄染2天。", "sex MALE; age P5D; lasted P2D"),
    ("新生儿，出生体重2.1kg。", "age P0D; weight 2.1 kg"),
    ("患儿女，8月，反复抽搐。", "sex FEMALE; age P8M"),
    ("月龄6个月，不能竖头。", "age P6M"),
    ("男孩，三岁半。", "sex MALE; age P3Y6M"),
    ("５岁起病，进行性加重。", "onset P5Y"),
    ("自12岁开始出现行走困难。", "onset P12Y"),
    ("3岁时发现听力下降。", "onset P3Y"),
    ("生后3个月起病。", "onset P3M"),
    ("生后即发现心脏杂音。", "onset P0D"),
    ("发病年龄：14", "onset P14Y"),
    ("2天前受凉后发热。", "ago P2D"),
    ("十余年前诊断为高血压。", "ago P10Y"),
    ("两周前出现腹痛。", "ago P2W"),
    ("入院前3小时突发胸痛。", "lasted PT3H"),
    ("反复咳嗽、咳痰二十余年。", "lasted P20Y"),
    ("腹泻2-3天，呕吐半天。", "lasted P2D; lasted PT12H"),
    ("近两三天食欲差。", "lasted P2D"),
    ("乏力1个半月。", "lasted P1M15D"),
    ("确诊糖尿病5年余。", "lasted P5Y"),
    ("父亲60岁因脑梗死去世。", ""),
    ("其弟，男，5岁，体健。", ""),
    ("育有1子1女，配偶体健。", ""),
    ("于2013年3月5日入院。", ""),
    ("每3天换药一次，3天后复查。", ""),
    ("孕39周顺产。", ""),
    ("体温38.5℃，血压160/100mmHg，心率110次/分。", (
        "temperature 38.5 °C high; blood pressure 160/100 mmHg high; heart rate 110 /min high")),
    ("T 36.5℃，P 80次/分，R 20次/分，BP 120/80mmHg", (
        "temperature 36.5 °C normal; heart rate 80 /min normal; respiratory rate 20 /min normal; "
        "blood pressure 120/80 mmHg normal")),
    ("T:39.1℃ P:120 R:28 BP:85/50", (
        "temperature 39.1 °C high; heart rate 120 /min high; respiratory rate 28 /min high; "
        "blood pressure 85/50 mmHg low")),
    ("发热，最高39度，无寒战。", "temperature 39 °C high"),
    ("热峰40.2℃。", "temperature 40.2 °C high"),
    ("血压：１６０／１００ｍｍＨｇ", "blood pressure 160/100 mmHg high"),
    ("血氧饱和度88%，呼吸24次/分。", "oxygen saturation 88 % low; respiratory rate 24 /min high"),
    ("身高170cm，体重65公斤。", "height 170 cm; weight 65 kg"),
    ("出生体重3200g。", "weight 3.2 kg"),
    ("白细胞 15.2×10⁹/L，血红蛋白82g/L，血小板45×10^9/L。", (
        "white blood cells 15.2 10^9/L high; hemoglobin 82 g/L low; platelets 45 10^9/L low")),
    ("血常规：WBC 3.1*10^9/L，N 45%，Hb 130g/L", (
        "white blood cells 3.1 10^9/L low; neutrophil percentage 45 % normal; hemoglobin 130 g/L normal")),
    ("中性粒细胞百分比85.2%，淋巴细胞10%。", "neutrophil percentage 85.2 % high; lymphocyte percentage 10 % low"),
    ("血糖13.8mmol/L，空腹血糖6.5mmol/L。", "glucose 13.8 mmol/L high; fasting glucose 6.5 mmol/L high"),
    ("血糖 13.8，血钾 2.9。", "glucose 13.8 mmol/L high; potassium 2.9 mmol/L low"),
    ("血钠125mmol/L↓，血氯95mmol/L。", "sodium 125 mmol/L low; chloride 95 mmol/L low"),
    ("钠128mmol/L（参考值135-145）", "sodium 128 mmol/L low"),
    ("肌酐210μmol/L，尿素氮15.2mmol/L，尿酸520μmol/L。", (
        "creatinine 210 umol/L high; blood urea nitrogen 15.2 mmol/L high; uric acid 520 umol/L high")),
    ("谷丙转氨酶120U/L，谷草转氨酶30U/L，白蛋白28g/L。", (
        "alanine aminotransferase 120 U/L high; aspartate aminotransferase 30 U/L normal; albumin 28 g/L low")),
    ("总胆红素升高至85μmol/L。", "total bilirubin 85 umol/L high"),
    ("C反应蛋白85mg/L，血沉60mm/h，降钙素原<0.05ng/ml。", (
        "C-reactive protein 85 mg/L high; erythrocyte sedimentation rate 60 mm/h high; "
        "procalcitonin <0.05 ug/L normal")),
    ("糖化血红蛋白9.1%，甘油三酯 5.6mmol/L。", "hemoglobin A1c 9.1 % high; triglycerides 5.6 mmol/L high"),
    ("TSH 0.01mIU/L↓，FT4 45pmol/L↑。", "thyroid-stimulating hormone 0.01 mIU/L low; free thyroxine 45 pmol/L high"),
    ("血氨 180μmol/L，乳酸5.1mmol/L。", "ammonia 180 umol/L high; lactate 5.1 mmol/L high"),
    ("血钙1.7mmol/L，血磷2.3mmol/L，镁0.5mmol/L。", (
        "calcium 1.7 mmol/L low; phosphate 2.3 mmol/L high; magnesium 0.5 mmol/L low")),
    ("肌酸激酶 12000U/L，肌钙蛋白I 2.5ng/mL。", "creatine kinase 12000 U/L high; troponin I 2.5 ug/L high"),
    ("尿蛋白(+++)，尿糖阴性，尿潜血2+。", "urine protein 3 + high; urine glucose normal; urine blood 2 + high"),
    ("24小时尿蛋白定量3.5g/24h。", "urine protein 3.5 g/24h high"),
    ("脑脊液白细胞 200×10^6/L，蛋白1.2g/L，葡萄糖1.1mmol/L。", (
        "CSF white blood cells 200 /uL high; CSF protein 1.2 g/L high; CSF glucose 1.1 mmol/L low")),
    ("腹水白蛋白 12g/L。", "albumin (fluid) 12 g/L"),
    ("24h尿蛋白定量 6.8g，PO2 65mmHg。", "urine protein 6.8 g/24h high; oxygen tension 65 mmHg low"),
    ("腹水，白蛋白24g/L。", "albumin 24 g/L low"),
    ("尿频、尿急，肌酐210μmol/L。", "creatinine 210 umol/L high"),
    ("12岁以下儿童禁用。", ""),
    ("几十年前曾患疟疾。", ""),
    ("尿钠20mmol/L。", "sodium (urine) 20 mmol/L"),
    ("凝血酶原时间18秒，D-二聚体3.2mg/L。", "prothrombin time 18 s high; D-dimer 3.2 mg/L high"),
    ("铁蛋白5ng/ml，维生素B12 120pg/ml。", "ferritin 5 ug/L low; vitamin B12 88.54 pmol/L low"),
    ("患儿，男，4岁，肌酐30μmol/L，血红蛋白100g/L。", (
        "sex MALE; age P4Y; creatinine 30 umol/L; hemoglobin 100 g/L low")),
    ("阿司匹林100mg每日1次，氯化钠250ml静滴。", ""),
    ("10%氯化钾10ml，5%葡萄糖500ml，维生素C 2g。", ""),
    ("碳酸氢钠片 1.0g 每日3次。", ""),
    ("GCS评分15分，心功能3级，第12页，电话13800138000。", ""),
    ("输注血小板2个单位，红细胞2U。", ""),
    ("胸椎T12骨折，颈椎C3-4突出。", ""),
]  # fmt: skip


def told(value: Value) -> str:
    """A value as the tables write it."""
    if value.kind in {"age", "onset"}:
        return f"{value.kind} {value.iso8601}"
    if value.kind == "duration":
        return f"{value.name} {value.iso8601}"
    if value.kind == "sex":
        return f"sex {value.name}"
    number = "" if value.number is None else f"{value.comparator}{value.number:.6g}"
    pressure = f"/{value.high:g}" if value.high is not None else ""
    return " ".join(part for part in (value.name, number + pressure, value.unit, value.level) if part)


@pytest.mark.parametrize(("line", "expected"), ENGLISH + CHINESE)
def test_everything_a_line_states(line: str, expected: str) -> None:
    assert "; ".join(map(told, find_values(line))) == expected


def test_both_languages_have_at_least_sixty_lines() -> None:
    assert min(len(ENGLISH), len(CHINESE)) >= 60


FINDINGS = [
    ("Na 128 mmol/L", "HP:0002902"),
    ("血钠 128mmol/L", "HP:0002902"),
    ("Na 150 mmol/L", "HP:0003228"),
    ("Na 140 mmol/L", ""),
    ("T 39.2", "HP:0001945"),
    ("体温 34.0℃", "HP:0002045"),
    ("BP 150/85", "HP:0000822"),
    ("血压125/95mmHg", "HP:0000822"),
    ("BP 80/50", "HP:0002615"),
    ("HR 120", "HP:0001649"),
    ("脉搏45次/分", "HP:0001662"),
    ("RR 30", "HP:0002789"),
    ("SpO2 85%", "HP:0012418"),
    ("ECG rate normal, Hb 6.1 g/dL", "HP:0020062"),
    ("troponin 0.8 ng/mL", ""),
]


@pytest.mark.parametrize(("line", "finding"), FINDINGS)
def test_what_is_outside_its_range_is_a_finding(line: str, finding: str) -> None:
    (value,) = find_values(line)
    assert value.finding == finding


def test_the_limits_that_decided_are_given_in_the_unit_of_the_number() -> None:
    (value,) = find_values("glucose 250 mg/dL (70-110)")
    assert (value.number, value.unit) == (13.88, "mmol/L")
    assert (value.low_limit, value.high_limit) == (3.886, 6.106)


def test_a_printed_range_outranks_the_table_and_a_flag_outranks_the_range() -> None:
    assert find_values("Na 137 mmol/L")[0].level == "normal"
    assert find_values("Na 137 mmol/L (138-145)")[0].level == "low"
    assert find_values("血钠137mmol/L（参考范围：138-145）")[0].level == "low"
    assert find_values("Na 137 mmol/L H (138-145)")[0].level == "high"
    assert find_values("血钠137mmol/L↑")[0].level == "high"


def test_sex_and_age_choose_the_range() -> None:
    assert [find_values("Hb 125 g/L", sex=sex)[0].level for sex in ("", "MALE", "female")] == [
        "normal",
        "low",
        "normal",
    ]
    assert [find_values("Hb 112 g/L", age_years=age)[0].level for age in (0.1, 3.0, 8.0, 40.0)] == [
        "",
        "normal",
        "low",
        "low",
    ]
    assert find_values("Hb 125 g/L", sex="UNKNOWN_SEX")[0].level == "normal"
    assert find_values("65 yo man, Hb 125 g/L")[-1].level == "low"
    assert find_values("女，65岁，血红蛋白125g/L")[-1].level == "normal"


def test_children_have_no_level_where_the_table_has_no_band_but_a_printed_range_counts() -> None:
    assert find_values("ALT 60 U/L", age_years=3)[0].level == ""
    assert find_values("BP 150/95", age_years=3)[0].finding == ""
    assert find_values("ALT 60 U/L (0-40)", age_years=3)[0].level == "high"


def test_a_number_without_a_unit_counts_where_only_one_unit_is_plausible() -> None:
    assert find_values("glucose 250")[0].number == 13.88
    assert find_values("血糖 5.1")[0].unit == "mmol/L"
    assert [(value.unit, value.level) for value in find_values("creatinine 12")] == [("", "")]


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("1岁半", "P1Y6M"),
        ("38个月龄", "P3Y2M"),
        ("半个月", "P15D"),
        ("半小时", "PT30M"),
        ("一周半", "P11D"),
        ("cough for 36 hours", "PT36H"),
        ("2.5-year-old", "P2Y6M"),
    ],
)
def test_times_are_iso_durations(text: str, iso: str) -> None:
    (value,) = find_values(text)
    assert value.iso8601 == iso


WORDS = """Na |K+ |BP |T |血压|血钾|体温|尿蛋白|患者|yo |years|old|for |since age |mmol/L|mg/dL|×10^9/L|
CSF |ref |H |😀""".split("|")
PIECES = st.sampled_from(
    [*"0123456789.,/-:%()<>↑↓+ \n\t，。：（）年月日天周岁半三十两男女余", *WORDS, "\ud800", "\u200f"]
)


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
def test_spans_are_slices_in_order_without_overlap(text: str) -> None:
    end = 0
    for value in find_values(text):
        assert value.text == text[value.start : value.end]
        assert end <= value.start < value.end
        end = value.end
        assert (value.finding == "") or value.level in {"low", "high"}


@pytest.mark.parametrize(
    "piece", ["1/1/1/", "Na ", "三", "120/", "K", "尿", "9", "(", "Na (", "age ", "\n", "血\u3000", "for 3 "]
)
def test_time_is_linear_in_hostile_repeats(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    began = time.process_time()
    find_values(text)
    assert time.process_time() - began < 4  # about 1 s on one core; anything quadratic takes hours


@pytest.mark.parametrize("text", ["", " ", "\x00\x01", "\ud800", "😀" * 10, "\u202e128 aN", "Na", "T", "/", "男"])
def test_bad_input_states_nothing(text: str) -> None:
    assert [value for value in find_values(text) if value.kind != "sex"] == []
