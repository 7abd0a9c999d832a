"""The program's own words around results, in the language of the question or case."""

from __future__ import annotations

from typing import Final

_WORDS: Final[dict[str, tuple[str, str]]] = {
    "notice": (
        "Decision support for professionals and research; not a medical device.",
        "供专业人员和研究使用的决策支持，不是医疗器械。",
    ),
    "no reference": ("no reference given by the source", "来源未给出参考文献"),
    "unanswered": ("nothing in the graph for: {0}", "图谱中没有：{0}"),
    "read": ("read: {0}", "读到：{0}"),
    "unknown": ("not in the graph: {0}", "图谱中没有：{0}"),
    "score": ("score {0}", "得分 {0}"),
    "for": ("for", "支持"),
    "against": ("against", "反对"),
    "unexplained": ("unexplained", "未解释"),
    "missing": ("typical, not mentioned", "典型而未提及"),
    "as": ("as {0}", "即 {0}"),
    "compete": ("{0} diseases compete. {1}", "参与排序的疾病有 {0} 种。{1}"),
    "rare": (
        "Those annotated with HPO terms are mostly rare and genetic: a common one can be missing.",
        "以 HPO 术语注释的疾病多为罕见病和遗传病，常见病可能不在其中。",
    ),
    "listed": (
        "Those of CMeKG have lists of symptoms without frequencies or references.",
        "CMeKG 的疾病只有症状列表，没有频率和参考文献。",
    ),
    "ask next": ("Ask next:", "下一步可问："),
    "speaks for": ("{0} ({1}): {2} bits; yes speaks for {3}", "{0} ({1})：{2} 比特；若有，支持{3}"),
    "present": ("present", "有"),
    "absent": ("absent", "无"),
    "uncertain": ("uncertain", "不确定"),
    "family": ("family", "家族史"),
    "historical": ("historical", "既往"),
    "hypothetical": ("hypothetical", "假设"),
    "findings": ("findings", "所见"),
    "values": ("values", "数值"),
    "sections": ("sections", "段落"),
    "text": ("text", "原文"),
    "status": ("status", "状态"),
    "entity": ("entity", "实体"),
    "label": ("label", "名称"),
    "method": ("method", "方法"),
    "confidence": ("confidence", "置信度"),
    "section": ("section", "段落"),
    "english": ("English, nearest", "英文近义"),
    "kind": ("kind", "类型"),
    "number": ("number", "数"),
    "unit": ("unit", "单位"),
    "limits": ("limits", "参考范围"),
    "level": ("level", "水平"),
    "finding": ("finding", "所见"),
    "low": ("low", "偏低"),
    "normal": ("normal", "正常"),
    "high": ("high", "偏高"),
    "value": ("value", "数值"),
    "provisional": ("provisional", "暂定"),
    "nothing": ("nothing understood", "没有读懂的内容"),
    "unread": (
        "{0} stretches without a known name were left unread: the text is too long to read them all by meaning",
        "有 {0} 处没有已知名称的片段未读：文本过长，不能全部按含义阅读",
    ),
    "not run": ("Not run yet: look at it, then add --run.", "尚未执行：请先查看，再加上 --run。"),
    "no template": ("no template fits the question; entities found: {0}", "没有适合此问题的模板；识别到的实体：{0}"),
    "name an entity": (
        "name an entity of the graph and what you want to know of it, or name a model with --llm",
        "请写出图谱中的实体及想了解的内容，或用 --llm 指定模型",
    ),
    "why kept": ("kept: place {0} of {1}", "保留：第 {0} 位，共 {1} 个"),
    "why fell": ("fell out at the stage “{0}”", "在“{0}”阶段被淘汰"),
    "why not found": ("no channel listed it", "没有任何通道将其列入"),
    "why others": ("{0} more passages are meant, which came no further", "另有 {0} 个符合的段落，均未走得更远"),
    "why score": ("score {0}", "得分 {0}"),
    "why rank": ("place {0}", "第 {0} 位"),
    "why deep": ("beyond place {0}", "第 {0} 位之后"),
    "why cut": ("cut {0}", "入选线 {0}"),
    "why part": ("gives {0}", "贡献 {0}"),
    "why preset": ("preset: {0}", "预设：{0}"),
    "why shown": ("search shows the first {0}", "搜索只显示前 {0} 个"),
    "why read": ("read by: {0}", "由此子问题读取：{0}"),
    "why chain": ("on an indirect chain for: {0}", "位于间接证据链上：{0}"),
    "why not listed": ("not among the {0} that it lists", "不在其列出的 {0} 个之内"),
    "why channel left out": ("the preset {0} does not ask it", "预设 {0} 不使用此通道"),
    "why channel not built": ("this release has no vectors yet", "此版本尚无向量"),
    "why channel without entity": (
        "not asked: no entity was linked in the question",
        "未使用：问题中没有链接到实体",
    ),
    "why channel by threshold": (
        "not asked: complexity {0}, threshold {1}",
        "未使用：问题复杂度 {0}，阈值 {1}",
    ),
    "why no indexed word": ("no word of the question is searched", "问题中没有可检索的词"),
    "why other language": (
        "shares no word with the question: the passage is {0}, the question {1}",
        "与问题没有共同的词：段落语言为 {0}，问题语言为 {1}",
    ),
    "why no shared word": ("shares no word with the question", "与问题没有共同的词"),
    "why no entity in question": ("no entity was linked in the question", "问题中没有链接到实体"),
    "why no entity in passage": ("no entity was linked in the passage", "段落中没有链接到实体"),
    "why no way to passage": (
        "mentions neither {0} nor anything that these lead to",
        "既未提及{0}，也未提及由其可达的实体",
    ),
    "why no vector": ("the passage has no vector", "段落没有向量"),
    "why fell read": ("only the best {0} are read", "只读取得分最高的 {0} 段"),
    "why fell duplicates": ("nearly the same as a better one: {1}", "与更好的段落几乎相同：{1}"),
    "why fell ranking": ("only the best {0} are kept", "只保留最好的 {0} 段"),
    "why fell quotas": ("the quotas leave {0}: {1}", "名额只留 {0} 段：{1}"),
    "why fell budget": ("beyond the budget of words: {1}", "超出字数预算：{1}"),
    "why fell facts": ("{0} facts are better", "有 {0} 个更好的事实"),
    "why not an edge": (
        "it denies, or is disputed: only what is stated and undisputed is read as a fact",
        "这是否定的或有争议的陈述：只读取肯定且无争议的陈述",
    ),
    "why edge without entity": (
        "no fact was read: no entity was linked in the question",
        "没有读取事实：问题中没有链接到实体",
    ),
    "why edge by threshold": (
        "no fact was read: complexity {0}, threshold {1}",
        "没有读取事实：问题复杂度 {0}，阈值 {1}",
    ),
    "why edge without decomposition": (
        "no fact was read: the preset {0} makes no sub-questions",
        "没有读取事实：预设 {0} 不分解问题",
    ),
    "why edge of others": (
        "neither end is an entity of the question: {0}",
        "两端都不是问题中的实体：{0}",
    ),
    "why edge beyond sub-questions": (
        "its property is asked for, but beyond the first {0} sub-questions",
        "问到了其属性，但在前 {0} 个子问题之外",
    ),
    "why edge not asked": ("its property was not asked for; asked: {0}", "没有问到其属性；问到的有：{0}"),
    "why edge said already": (
        "{0} says the same and counts once, for: {1}",
        "{0} 说的相同，只计一次，子问题：{1}",
    ),
    "why edge beyond rows": (
        "not among the {0} most trusted statements that are read for: {1}",
        "不在最可信的 {0} 条陈述之内，子问题：{1}",
    ),
    "marked": ("? provisional: shown, not used", "? 暂定：仅显示，不使用"),
}


def words(lang: str, key: str, *values: object) -> str:
    """A text in a language, its places filled with the values; English for any language but Chinese."""
    english, chinese = _WORDS[key]
    return (chinese if lang == "zh" else english).format(*values)
