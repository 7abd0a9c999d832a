"""What a sentence says about a finding: there, not there, uncertain, of a relative, past, only supposed.

Each case is a sentence with the findings in brackets and the status of each in order.
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.reading.linker import Linker
from ontology.reading.reader import Reader
from ontology.reading.sense import Sense
from ontology.reading.status import status_of, statuses
from ontology.reading.terminology_build import build_terminology

P, A, U, F, T, H = "present", "absent", "uncertain", "family", "historical", "hypothetical"

ENGLISH = [
    ("The patient has [fever].", P),
    ("He presented with [cough] and [dyspnea].", P, P),
    ("[Chest pain] radiating to the left arm.", P),
    ("No [fever].", A),
    ("No [fever], [cough] or [chills].", A, A, A),
    ("No [fever] but [cough].", A, P),
    ("No [fever], [cough], [chills], or [night sweats].", A, A, A, A),
    ("She denies [headache] and [neck stiffness].", A, A),
    ("The patient denied any [nausea], [vomiting] or [diarrhea].", A, A, A),
    ("Without [rash].", A),
    ("[Abdominal pain] without [vomiting].", P, A),
    ("[Cough] with no [hemoptysis].", P, A),
    ("Negative for [hematuria].", A),
    ("There is no evidence of [pneumonia].", A),
    ("No signs of [meningitis] were seen.", A),
    ("[Ascites] is absent.", A),
    ("[Tremor] and [rigidity] were absent.", A, A),
    ("[Murmur] was not heard.", A),
    ("[Pulmonary embolism] was ruled out.", A),
    ("Workup ruled out [myocardial infarction].", A),
    ("He does not have [seizures].", A),
    ("She has never had [jaundice].", A),
    ("The child is not [jaundiced].", A),
    ("He has neither [fever] nor [chills].", A, A),
    ("The chest was free of [wheezing].", A),
    ("Absence of [edema] in both legs.", A),
    ("[Fever]: none.", A),
    ("[Fever] (-), [cough] (+).", A, P),
    ("Denies [fever]; reports [cough].", A, P),
    ("Denies [fever], reports [cough].", A, P),
    ("No [fever], however [cough] persists.", A, P),
    ("No symptoms except [fatigue].", P),
    ("There was no [fever] and the patient complained of [myalgia].", A, P),
    ("Although there was no [fever], he had [rigors].", A, P),
    ("No change in [headache].", P),
    ("Not only [fever] but also [rash] was noted.", P, P),
    ("There was no increase in [swelling].", P),
    ("[Cough] did not improve with antibiotics.", P),
    ("No improvement in [dyspnea] after treatment.", P),
    ("Gram negative sepsis with [hypotension].", P),
    ("Possible [pneumonia].", U),
    ("Suspected [appendicitis].", U),
    ("Findings are suspicious for [lymphoma].", U),
    ("[Tuberculosis] cannot be ruled out.", U),
    ("We cannot exclude [malignancy].", U),
    ("This may represent [sarcoidosis].", U),
    ("Rule out [sepsis].", U),
    ("[Stroke] is suspected.", U),
    ("Concern for [endocarditis].", U),
    ("[Appendicitis] is possible.", U),
    ("Family history of [diabetes].", F),
    ("Her mother had [breast cancer].", F),
    ("His father died of [stroke] at 60.", F),
    ("[Asthma] in his sister.", F),
    ("Two brothers with [deafness].", F),
    ("No family history of [seizures].", A),
    ("His mother denies [fever].", A),
    ("Her mother has [migraine], but she has [vertigo].", F, P),
    ("History of [asthma].", T),
    ("Past medical history is significant for [hypertension] and [gout].", T, T),
    ("Previous [stroke] in 2010.", T),
    ("He had [measles] as a child.", T),
    ("No history of [seizures].", A),
    ("He presents with a 3-day history of [fever].", P),
    ("A two week history of [cough] and [weight loss].", P, P),
    ("History of [asthma], now presents with [wheezing].", T, P),
    ("Return if [fever] develops.", H),
    ("If [bleeding] occurs, come back.", H),
    ("Call the clinic should [swelling] occur.", H),
    ("Prophylaxis to prevent [thrombosis].", H),
    ("At risk of [falls].", H),
    ("A 5-year-old boy with [ataxia], [hypotonia] and normal hearing.", P, P),
    ("[Fever] was high, and no [rash] appeared.", P, A),
    ("Examination revealed [hepatomegaly] but no [splenomegaly].", P, A),
    ("On examination there was [hepatomegaly] with no palpable [spleen].", P, A),
    ("No [dysmorphism], [cataract], or [hearing loss], but he had [hypotonia] and [seizures].", A, A, A, P, P),
    ("[Seizures] started at 3 months of age.", P),
    ("MRI showed [cerebellar atrophy] and no evidence of [leukodystrophy].", P, A),
    ("She never experienced [syncope].", A),
    ("He was not [febrile] on arrival.", A),
    ("[Fever] resolved after two days.", A),
    ("No [organomegaly] was found, and [lymph nodes] were enlarged.", A, P),
    ("Neurological examination was normal without [ataxia] or [nystagmus].", A, A),
    ("The patient complains of [headache] without [photophobia], [phonophobia] or [aura].", P, A, A, A),
    ("ECG was negative for [ischemia] but showed [atrial fibrillation].", A, P),
    ("Parents are [consanguineous], and his sister has [epilepsy].", P, F),
    ("A maternal uncle had [hemophilia].", F),
    ("There is a strong family history of [colon cancer] and [breast cancer].", F, F),
    ("The mother noticed [floppiness] at birth.", P),
    ("Past history: [appendectomy], [tonsillitis].", T, T),
    ("He had [chickenpox] in childhood.", T),
    ("Likely [viral infection].", U),
    ("Differential diagnosis includes [lymphoma] and [sarcoidosis].", U, U),
    ("[DVT] is unlikely.", U),
    ("Presentation is consistent with [gout].", P),
    ("If you develop [chest pain] or [dyspnea], call 911.", H, H),
    ("Patient was advised to watch for [bleeding].", H),
    ("The patient is not able to walk due to [weakness].", P),
    ("He could not walk because of [leg pain].", P),
    ("Denies chest pain, [palpitations], and has had [leg swelling] for a week.", A, P),
    ("No known [drug allergy].", A),
    ("Patient reports [dizziness] but denies [vertigo], [tinnitus] and [hearing loss].", P, A, A, A),
    ("[Rash] has not spread.", P),
    ("No other symptoms besides [itching].", P),
    ("[Cough], [sputum] and [fever] for 3 days, no [hemoptysis].", P, P, P, A),
    ("Failure to thrive and [vomiting] were noted; [diarrhea] was not present.", P, A),
    ("Not associated with [nausea].", A),
]

CHINESE = [
    ("患者[发热]3天。", P),
    ("[咳嗽]、[咳痰]伴[胸痛]。", P, P, P),
    ("无[发热]。", A),
    ("无[发热]、[咳嗽]、[咳痰]。", A, A, A),
    ("无[发热]、无[咳嗽]。", A, A),
    ("无[发热]，[咳嗽]明显。", A, P),
    ("[发热]，无[咳嗽]。", P, A),
    ("[头痛]无[恶心]、[呕吐]。", P, A, A),
    ("否认[头痛]、[头晕]。", A, A),
    ("患者否认有[胸闷]及[心悸]。", A, A),
    ("未见[皮疹]。", A),
    ("双肺未闻及[湿啰音]。", A),
    ("不伴[恶心]、[呕吐]。", A, A),
    ("没有[腹泻]。", A),
    ("未诉[腹痛]。", A),
    ("已排除[肺炎]。", A),
    ("[肺栓塞]已排除。", A),
    ("无明显[腹胀]。", A),
    ("未出现[抽搐]。", A),
    ("未触及[肿块]。", A),
    ("[病理征]阴性。", A),
    ("[湿啰音]未闻及。", A),
    ("[发热]：无。", A),
    ("[腹水]（-）。", A),
    ("[咳嗽]、[咳痰]均无。", A, A),
    ("不[发热]，不[咳嗽]。", A, A),
    ("从未[昏迷]。", A),
    ("无[发热]但有[咳嗽]。", A, P),
    ("无[发热]，但[咳嗽]剧烈。", A, P),
    ("没有[发热]，但是[乏力]。", A, P),
    ("无[寒战]、[盗汗]及[消瘦]，有[乏力]。", A, A, A, P),
    ("无[胸痛]或[咯血]。", A, A),
    ("无明显诱因出现[发热]。", P),
    ("患者1周前无诱因出现[头痛]、[呕吐]。", P, P),
    ("不明原因[发热]2周。", P),
    ("[无痛性血尿]1月。", P),
    ("[头痛]无明显缓解。", P),
    ("[咳嗽]未见好转。", P),
    ("服药后[腹痛]无好转。", P),
    ("[发热]原因不明。", P),
    ("不仅[发热]，而且[咳嗽]。", P, P),
    ("[全身无力]3天。", P),
    ("除[头痛]外无其他不适。", P),
    ("[出血]不止。", P),
    ("[发热]待查。", P),
    ("可疑[肺结核]。", U),
    ("疑似[肺炎]。", U),
    ("考虑[急性阑尾炎]。", U),
    ("[肺炎]可能。", U),
    ("可能为[脑梗死]。", U),
    ("不除外[淋巴瘤]。", U),
    ("[肺栓塞]不能除外。", U),
    ("不能排除[心肌梗死]。", U),
    ("[肺癌]待排。", U),
    ("需排除[脑膜炎]。", U),
    ("[肺炎]？", U),
    ("有[糖尿病]家族史。", F),
    ("家族史：[高血压]。", F),
    ("父亲患[高血压]。", F),
    ("其母有[乳腺癌]。", F),
    ("母亲死于[胃癌]。", F),
    ("哥哥有[癫痫]，患者有[头痛]。", F, P),
    ("否认[高血压]家族史。", A),
    ("母亲诉患儿[发热]。", P),
    ("既往[高血压]。", T),
    ("既往有[高血压]、[糖尿病]病史。", T, T),
    ("曾患[肺结核]。", T),
    ("有[脑梗死]病史。", T),
    ("既往体健，[发热]3天。", P),
    ("既往无[糖尿病]。", A),
    ("否认[肝炎]、[结核]病史。", A, A),
    ("如出现[发热]、[腹痛]，及时就诊。", H, H),
    ("若[出血]，请复诊。", H),
    ("注意预防[感染]。", H),
    ("患者3天前受凉后出现[咳嗽]、[咳黄痰]，无[咯血]、[胸痛]。", P, P, A, A),
    ("病程中无[发热]、[盗汗]，精神、食欲可，[体重下降]5kg。", A, A, P),
    ("查体：[颈强直]阴性，双侧[巴氏征]未引出。", A, A),
    ("腹软，[压痛]（+），无[反跳痛]。", P, A),
    ("双下肢无[水肿]。", A),
    ("[心悸]不明显。", A),
    ("患儿无明显诱因下出现[抽搐]，无[发热]。", P, A),
    ("入院后未再[发热]。", A),
    ("[发热]已退。", A),
    ("既往[高血压]病史10年，否认[糖尿病]、[冠心病]。", P, A, A),
    ("10年前曾行[阑尾切除术]。", T),
    ("其父患有[糖尿病]，母亲体健。", F),
    ("父亲[高血压]、母亲[糖尿病]。", F, F),
    ("家族中无[遗传病]。", A),
    ("临床考虑[川崎病]可能性大。", U),
    ("[肺炎]待除外。", U),
    ("不排除[结核]的可能。", U),
    ("[恶心]，未吐，无[腹泻]。", P, A),
    ("时有[头晕]，但无[视物旋转]及[耳鸣]。", P, A, A),
    ("除[乏力]外，无[发热]等不适。", P, A),
    ("如有[胸痛]加重，立即就医。", H),
    ("[咳嗽]伴[喘息]，不伴[紫绀]。", P, P, A),
    ("皮肤黏膜无[黄染]、[皮疹]、[出血点]。", A, A, A),
    ("[浅表淋巴结肿大]未触及。", A),
    ("未闻及干湿性[啰音]，无[胸膜摩擦音]。", A, A),
    ("[疼痛]呈阵发性，与进食无关。", P),
    ("否认有[药物过敏]史。", A),
    ("[癫痫]病史2年，此次因[抽搐]入院。", P, P),
    ("服药后[头痛]未缓解。", P),
    ("无[畏寒]、[寒战]，有[乏力]、[纳差]。", A, A, P, P),
    ("睡眠不好，[多梦]。", P),
    ("大便正常，无[黑便]及[便血]。", A, A),
    ("不能[行走]，[下肢无力]。", A, P),
    ("需与[肺结核]鉴别。", U),
    ("家属发现患者[意识不清]。", P),
    ("家属否认[精神病]史。", A),
    ("[咯血]没有、[盗汗]也没有。", A, A),
    ("[咯血]、[胸痛]等，均否认。", A, A),
    ("[发热]：有□ 无☑；[咳嗽]：有☑ 无□", A, P),
    ("无[叩击痛]，[双下肢凹陷性水肿]。", A, P),
    ("无[恶心]、[呕吐]，[轻度腹胀]。", A, A, P),
    ("[肺栓塞]：CTPA阴性，可排除。", A),
    ("曾疑诊[肺栓塞]，后经CTPA排除。", A),
    ("[胆囊炎]，经检查不能排除。", U),
    ("[转移]与否尚不明确。", U),
    ("[股骨骨折]史10年。", T),
    ("[高血压]史10年。", P),
    ("[子宫肌瘤]2018年剔除。", T),
    ("自2010年起[糖尿病]。", P),
    ("其子3岁，患[蚕豆病]，患者[乏力]。", F, P),
    ("其妻近期确诊[流感]。", F),
    ("丈夫代诉：妻子近一月[情绪低落]。", P),
    ("孩子妈妈有[鼻炎]，孩子自己常[打喷嚏]。", F, P),
    ("出现下列情况请返院：[高热]、[切口裂开]。", H, H),
    ("注意事项：[发热]、[切口红肿]。", H, H),
    ("日后有[失明]之虞。", H),
    ("[胸痛]较前明显缓解。", P),
    ("[水肿]消退不明显。", P),
    ("并非完全没有[疼痛]。", P),
]


def marked(sentence: str) -> tuple[str, list[tuple[int, int]]]:
    spans: list[tuple[int, int]] = []
    text = ""
    for piece in re.split(r"(\[.*?\])", sentence):
        if piece.startswith("["):
            spans.append((len(text), len(text) + len(piece) - 2))
        text += piece.strip("[]")
    return text, spans


@pytest.mark.parametrize(("sentence", "expected"), [(case[0], case[1:]) for case in ENGLISH + CHINESE])
def test_a_sentence_says_what_is_the_matter_with_each_finding(sentence: str, expected: tuple[str, ...]) -> None:
    text, spans = marked(sentence)
    assert tuple(status_of(text, start, end) for start, end in spans) == expected


UNKNOWN = [
    ("☑[咳嗽] □[咯血] □[胸痛]", P, A, A),
    ("[咳嗽]☑ [咯血]□ [胸痛]□", P, A, A),
    ("伴随症状：☑[恶心] ☑[呕吐] □[腹泻]", P, P, A),
    ("症状 [头晕]□ [耳鸣]☑ [听力下降]□", A, P, A),
    ("[跌倒]:否  [吞咽困难]:是  [压疮]:否", A, P, A),
    ("[水肿]：0  [腹水]：1+  [扑翼样震颤]：0", A, P, A),
    ("诊断为[肺炎]或[肺结核]。", U, U),
    ("性质待定，[囊肿]或[错构瘤]？", U, U),
    ("首先须鉴别[心包炎]，其次[胸膜炎]。", U, U),
    ("[霍奇金淋巴瘤]与[结节病]难以区分。", U, U),
    ("病理确诊[胃癌]，[脑转移]经CT排除。", P, A),
    ("[皮疹]尚未消退，[发热]已消失。", P, A),
    ("否认[肝炎]、[结核]等病史，[青霉素过敏]。", A, A, P),
    ("关节痛，无[皮疹]、[脱发]，[口干]、[眼干]。", A, A, P, P),
    ("无[尿频]、[血尿]，无[关节痛]、[皮疹]。", A, A, A, A),
    ("[恶心]（+）[呕吐]（-）[腹泻]（-）", P, A, A),
    ("[高血压]√ [糖尿病]× [冠心病]×", P, A, A),
    ("[吸烟]：有☑ 无□  [饮酒]：有□ 无☑", P, A),
    ("[胸痛]不排除[心绞痛]。", P, U),
    ("无[发热]，[胃纳差]。", A, P),
    ("有[恶心]、未吐，无[腹痛]。", P, A),
    ("无[发热]，双下肢浮肿，[多尿]。", A, P),
    ("无[发热]，咳嗽，[咳痰]。", A, A),
]
"""Sentences of several findings, of which a dictionary may know one only."""


@pytest.mark.parametrize(("sentence", "expected"), [(case[0], case[1:]) for case in UNKNOWN])
def test_a_finding_is_read_whether_or_not_its_neighbours_are_known(sentence: str, expected: tuple[str, ...]) -> None:
    text, spans = marked(sentence)
    assert tuple(statuses(text, spans)) == expected
    assert tuple(status_of(text, start, end) for start, end in spans) == expected


def test_there_are_enough_cases_in_both_languages() -> None:
    assert len(ENGLISH) >= 60
    assert len(CHINESE) >= 60


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("No [effusion], no [crepitus], [ptosis] on standing.", (A, A, P)),
        ("No [effusion], no [crepitus], [ptosis] or [diplopia].", (A, A, A, A)),
        ("No [nystagmus], [ptosis] on the left.", (A, P)),
        ("No [effusion], [positive Lachman].", (A, P)),
        ("No [tremor], gait [ataxic].", (A, P)),
        ("No [effusion], trivial [regurgitation].", (A, P)),
    ],
)
def test_a_negated_list_ends_at_a_finding_that_stands_alone(sentence: str, expected: tuple[str, ...]) -> None:
    text, spans = marked(sentence)
    assert tuple(statuses(text, spans)) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Surgery if the [hernia] becomes [strangulated].", (P, H)),
        ("Unless the [bleeding] stops, transfuse.", (P,)),
        ("Return if [bleeding] occurs.", (H,)),
        ("Could these [headaches] be a [brain tumour]?", (P, U)),
        ("Why do I get [cramps]?", (P,)),
        ("Could it be [measles]?", (U,)),
        ("No evidence that the [tumour] has spread.", (P,)),
        ("The cause of the [hypercalcaemia] is uncertain.", (P,)),
        ("The [hypercalcaemia] is uncertain.", (U,)),
        ("Concerned about her [weight loss].", (P,)),
    ],
)
def test_what_is_named_as_known_is_there_though_the_sentence_supposes(sentence: str, expected: tuple[str, ...]) -> None:
    text, spans = marked(sentence)
    assert tuple(statuses(text, spans)) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("[PE] was suspected, but CTPA ruled it out.", (A,)),
        ("[Stroke] was suspected, and [fever] was absent.", (U, A)),
        ("No sign of [fracture], possible [sprain].", (A, U)),
        ("?[TIA] with sudden [aphasia], now resolved.", (U, A)),
        ("[Nausea] and [vomiting] have resolved.", (A, A)),
    ],
)
def test_the_nearest_phrase_has_its_say(sentence: str, expected: tuple[str, ...]) -> None:
    text, spans = marked(sentence)
    assert tuple(statuses(text, spans)) == expected


@pytest.mark.parametrize(
    ("text", "finding", "status"),
    [
        ("No fever. Cough for two days.", "Cough", P),
        ("No cough.\nFever since Monday", "Fever", P),
        ("否认发热。咳嗽2天。", "咳嗽", P),
        ("咳嗽2天。否认发热", "发热", A),
        ("Denies fever\n无咳嗽", "咳嗽", A),
    ],
)
def test_a_sentence_says_nothing_about_the_next_one(text: str, finding: str, status: str) -> None:
    start = text.index(finding)
    assert status_of(text, start, start + len(finding)) == status


@given(st.text(alphabet="no fever,.;但无发热、，。 if", max_size=60), st.data())
def test_every_mention_has_a_status(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert status_of(text, start, end) in {P, A, U, F, T, H}


def test_findings_are_read_with_their_status_in_both_languages() -> None:
    names = [("HP:0001945", "en", "Fever"), ("HP:0012735", "en", "Cough"), ("HP:0001945", "zh", "发热"),
             ("HP:0012735", "zh", "咳嗽"), ("HP:0002315", "zh", "头痛")]  # fmt: skip
    senses = [Sense(entity, "PhenotypicFeature", lang, text, "label") for entity, lang, text in names]
    linker = Linker(build_terminology([*senses, Sense("X:1", "Drug", "en", "Aspirin", "label")]))
    text = "No fever but cough on aspirin. 患者否认发热，头痛2天。"
    found = Reader(linker).read(text, types={"PhenotypicFeature"}).readings
    assert [(r.link.text, r.link.entity, r.status) for r in found] == [
        ("fever", "HP:0001945", A),
        ("cough", "HP:0012735", P),
        ("发热", "HP:0001945", A),
        ("头痛", "HP:0002315", P),
    ]
