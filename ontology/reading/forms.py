"""What running text may write for a name: narrower than what the dictionary knows, and wider by other ways to say it.

Our choices:

* at least 2 characters with a Chinese one among them, or at least 3 with a letter among them;
* no name made of common English words only (`all`, `can`, `was`, `rest`), and none that is a common Chinese word
  which names no finding by itself (出现, 功能, 腹部): those that stand most often in patients' records and questions;
* no Chinese name that says 有 or 无 before another name: 无 is what the text says of it;
* abbreviations, genes and names of at most 5 letters all in capitals only as they are written;
* the singular for a plural and the plural for a singular in the last word, and `Alzheimer disease` for
  `Alzheimer's disease`, unless that is another name;
* British for American spelling and the other way round (`edema`, `oedema`), Roman for Arabic numerals (`type II`,
  `type 2`), and the plain order of words for a turned one (`seizures, febrile`; `carcinoma of the breast` also as
  `breast carcinoma`), on the same condition;
* nothing across the end of a sentence, nor across a Chinese comma unless the name has one.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

from ontology.reading.codes import CJK
from ontology.reading.sense import Sense
from ontology.reading.text import normal_form


def is_findable(form: str) -> bool:
    """Whether a normal form is looked for in running text."""
    if _has_chinese(form):
        return len(form) >= 2 and form not in _COMMON_CHINESE
    words = [word for word in form.split() if len(word) > 1]
    return len(form) >= 3 and not _COMMON.issuperset(words) and any(map(str.isalpha, form))


def says_whether(form: str, known: Container[str]) -> bool:
    """Whether a form is another known one with a word before it that says it is there, or not."""
    return form[:1] in _WHETHER and form[1:] in known


def is_picky(type_name: str, text: str, kind: str) -> bool:
    """Whether a text must write the name of an entity of this type letter by letter as the source does."""
    letters = kind == "abbreviation" or type_name == "Gene" or (text.isupper() and sum(map(str.isalpha, text)) <= 5)
    return letters and not _has_chinese(text)


def has_barrier(text: str) -> bool:
    """Whether a sentence ends inside a stretch of text, or a Chinese comma stands there."""
    return not text.isalnum() and _BARRIER.search(text) is not None


def may_be_written(written: str, sense: Sense) -> bool:
    """Whether a stretch of text of the same normal form can stand for a sense, for the letters it is written in."""
    if not is_picky(sense.type, sense.text, sense.kind):
        return True
    return _NOT_LETTERS.sub("", written) == _NOT_LETTERS.sub("", sense.text)


def inflections(key: str) -> list[str]:
    """The normal form with the other number of its last word."""
    head, blank, last = key.rpartition(" ")
    if len(last) >= 3 and last.isascii() and last.isalpha():
        return [head + blank + other for other in (*_singulars(last), *_plurals(last))]
    return []


def spellings(key: str) -> list[str]:
    """The normal form in the other English spelling, and with its numerals written the other way."""
    if not key.isascii():
        return []
    american = _AMERICAN.sub(lambda m: _IN_AMERICAN[m[0]], key)
    found = [american if american != key else _BRITISH.sub(lambda m: _IN_BRITISH[m[0]], key)]
    words = key.split()
    found.append(" ".join(_numeral(word, before) for before, word in zip(["", *words], words, strict=False)))
    return [form for form in dict.fromkeys(found) if form != key]


def reordered(text: str) -> list[str]:
    """Normal forms of a name in the plain order of words, where it is turned round."""
    found = []
    if text.count(", ") == 1:
        head, _, tail = text.partition(", ")
        found.append(f"{tail} {head}")
    if (turned := _OF.fullmatch(text)) and len(turned["of"].split()) <= 3:
        found.append(f"{turned['of']} {turned['what']}")
    return [normal_form(form) for form in found]


def other_possessive(text: str) -> str:
    """The normal form of a name without its possessive s, or of the name of a person with one; empty when it has none.

    `Alzheimer's disease` is also `Alzheimer disease`, and `Huntington disease` also `Huntington's disease`.
    """
    if "'" in text or "’" in text:
        return normal_form(_POSSESSIVE.sub("", text))
    return normal_form(_EPONYM.sub(r"\1s\2", text)) if _EPONYM.match(text) else ""


def _has_chinese(text: str) -> bool:
    return not text.isascii() and _CHINESE.search(text) is not None


def _singulars(word: str) -> list[str]:
    if word.endswith("ies") and len(word) > 4:
        return [word[:-3] + "y"]
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return [word[:-2]]
    if word.endswith(("oses", "yses", "tases", "heses")):
        return [word[:-2] + "is"]
    if len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ous")):
        return [word[:-1]]
    return []


def _plurals(word: str) -> list[str]:
    if word.endswith("y") and word[-2] not in "aeiou":
        return [word[:-1] + "ies"]
    if word.endswith("is"):
        return [word[:-2] + "es"]
    if word.endswith(("ss", "us", "x", "z", "ch", "sh")):
        return [word + "es"]
    return [] if word.endswith("s") else [word + "s"]


def _numeral(word: str, before: str) -> str:
    """A numeral in the other figures; one letter alone is one only after a word that wants a number."""
    if word in _ROMAN and (len(word) > 1 or before in _NUMBERED):
        return _ROMAN[word]
    return _ARABIC[word] if word in _ARABIC and before in _NUMBERED else word


_CHINESE: Final = re.compile(rf"[{CJK}]")
_ROMAN: Final = {roman: str(at) for at, roman in enumerate("i ii iii iv v vi vii viii ix x xi xii xiii".split(), 1)}
_ARABIC: Final = {arabic: roman for roman, arabic in _ROMAN.items()}
_NUMBERED: Final = frozenset("type grade stage class factor group phase deficiency disease syndrome nerve".split())
_OF: Final = re.compile(
    r"(?P<what>(?:(?!\b(?:of|in|to|with)\b)[^,()])+?) of (?:the )?"
    r"(?P<of>(?:(?!\b(?:of|in|to|with|and|or|by|for)\b)[^,()])+)"
)
_SPELLINGS: Final = """
edema oedema · esophag oesophag · estrogen oestrogen · rrhea rrhoea · anemi anaemi · cemia caemia · glycemi glycaemi
· kalemi kalaemi · natremi natraemi · lipidemi lipidaemi · uremi uraemi · ischemi ischaemi · leukemi leukaemi ·
calcemi calcaemi · xemi xaemi · hemo haemo · hema haema · hemi haemi · pediat paediat · orthopedic orthopaedic ·
gynec gynaec · fetal foetal · fetus foetus · tumor tumour · color colour · celiac coeliac · cecum caecum · cecal
caecal · anesthe anaesthe · etiolog aetiolog · fiber fibre · sulf sulph · caliber calibre · odor odour · behavior
behaviour · labor labour · pnea pnoea · ameba amoeba · ization isation · paralyz paralys · center centre · gray grey
· mold mould
"""
_PAIRS: Final = [(row_pair[0], row_pair[1]) for row in _SPELLINGS.split("·") if len(row_pair := row.split()) == 2]
_IN_BRITISH: Final = dict(_PAIRS)
_IN_AMERICAN: Final = {british: american for american, british in _PAIRS}
_BRITISH: Final = re.compile("|".join(sorted((re.escape(word) for word in _IN_BRITISH), key=len, reverse=True)))
_AMERICAN: Final = re.compile("|".join(sorted((re.escape(word) for word in _IN_AMERICAN), key=len, reverse=True)))
_NOT_LETTERS: Final = re.compile(r"[\W_]+")
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_EPONYM: Final = re.compile(
    r"([A-Z][a-zé]{3,}[a-rt-z])( (?:disease|syndrome|sign|palsy|encephalopathy|anomaly|tumou?r)\b)"
)
_BARRIER: Final = re.compile(rf"[。；！？;!?，、：:]|[{CJK}],|,\s*[{CJK}]|[\r\n]\s*[\r\n]|[^\W\d_]{{3}}[)\]]?\.\s")
_COMMON_TEXT: Final = """
about above after again all also although always among and another any apart are around away back bad
because been before being below best better between both but came can come could day days did does done
down due during each early either else ever every far feel felt few first for from full gave get give
given goes gone good got had half has have having her here him his how however into its itself just keep
kept kind last late later left less like long lot low made make man many may men might more most much must
near need never new next nor not now off often old once one only other our out over own part past per put
rest right said same saw see seem seen set several she short should side since six some soon still such
sure take taken than that the their them then there these they thing this those though three through thus
time too took try two under until upon use used very want was way week well went were what when where
which while who whole whose why will with within without work would year years yes yet you your
"""
_COMMON: Final = frozenset(_COMMON_TEXT.split())
_WHETHER: Final = frozenset("有无伴")
_COMMON_CHINESE_TEXT: Final = """
感觉 腹部 功能 注意 开始 药物 出现 工作 查体发现 胸部 加重 动脉 大小 术后 手术后 宫颈 查体 病史 皮肤
休息 月经 时间 大便 小便 活动 呼吸 严重 关节 改善 血糖 颈部 宫内 控制 尿液 神经 胆囊 体温 血压 位置
食物 运动 说话 轻度 中度 重度 走路 膝盖 盆腔 吸烟 下肢 上肢 不清 固定 性病 心率 长期 伤口 视力 下降
睡觉 分析 小腿 眼压 血管 体重 增大 困难 乳腺 神经系统 肢体 其他症状 饮酒 担心 下腹 上腹 减退 脖子 四肢
白色 红色 黄色 分娩 髋关节 面部 压力 反射 持续性 间歇性 不利 服药 不规则 口腔 形状 粉碎 白带 淋巴结
情绪 结合 化疗 放疗 血红蛋白 刺激性 刺激 鼻腔 合并 睡眠 程度 病毒 老年 心跳 速度 肝脏 体检 白细胞计数
中性粒细胞 血小板 血小板计数 胆红素 总胆红素 白蛋白 咽部 抗生素 减轻 妇科 性心 抗体 反复 剧烈 血清 手指
年龄 理解 嘴唇 质地 消退 外阴 眼科 营养 神志 导致 引起 胸廓 哺乳 形成 尿常规 精神状态 椎体 黏膜 排便
上腹部 下腹部 妇科检查 角膜 泌尿 耳朵 散在 环境 持续时间 病理检查 生长 乳头 高龄 分泌物 站立 结肠镜检查
眼球运动 吃饭 心脏检查 手臂 颗粒 结肠 敏感 开放 诱因 用力 软组织 韧带 后壁 脾脏 前列腺 孕妇 激素 激光
空腹血糖 复发 眼底检查 臀部 肩胛 眼球 视野 下颌 口角 饮水 葡萄糖 超声 检查 治疗 手术 患者 父亲 母亲
父母 血钾 血钠 血钙 双手 双足 双下肢 部位 左侧 右侧 双侧 正常 异常 阳性 阴性 原因 结果 症状 体征 诊断
家族史 既往史 主诉 超声检查 b超 心电图检查 胃镜检查 mri检查 肝功能检查
"""
_COMMON_CHINESE: Final = frozenset(_COMMON_CHINESE_TEXT.split())
