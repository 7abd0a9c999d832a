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
    "marked": ("? provisional: shown, not used", "? 暂定：仅显示，不使用"),
}


def words(lang: str, key: str, *values: object) -> str:
    """A text in a language, its places filled with the values; English for any language but Chinese."""
    english, chinese = _WORDS[key]
    return (chinese if lang == "zh" else english).format(*values)
