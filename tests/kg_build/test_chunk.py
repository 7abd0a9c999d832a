import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_build.chunk import chunk_markdown, chunk_plain, escape_markup
from ontology.errors import ClewError, Code
from ontology.reading.text import sentences

GUIDELINE = """# Gout — Example 2020

Preamble before any section.

## Flares

### First line
- **Colchicine:** within 36 hours.
  Continue until it settles.
- NSAIDs at full dose.

---

## 痛风慢性期

降尿酸治疗应长期坚持。目标为 360 μmol/L 以下。

| Drug | Dose |
|---|---|
| Allopurinol | 100 mg |

```
# not a heading
Start low -> go slow
```
"""

WORDS = st.sampled_from(["gout", "Fever", "dose", "尿酸", "治疗", "3.5", "e.g.", "#", "|", "-", "1.", "```", "**b**"])
LINES = st.one_of(
    st.lists(WORDS, max_size=30).map(" ".join),
    st.sampled_from(
        ["", "   ", "# One", "## Two ##", "###### Six", "---", "* * *", "```", "~~~", "| a | b |", "- item"]
    ),
)
MARKDOWN = st.lists(LINES, max_size=30).map("\n".join)
SENTENCES = st.lists(
    st.sampled_from(["Gout hurts.", "Take it twice a day with food.", "高尿酸血症很常见。", "需要长期治疗吗？"]),
    min_size=1,
)


def squeeze(text: str) -> str:
    return "".join(text.split())


@given(st.one_of(MARKDOWN, st.text()), st.integers(min_value=1, max_value=200))
def test_every_passage_is_a_verbatim_slice_in_order_and_within_size(text: str, size: int) -> None:
    for cut in (chunk_markdown, chunk_plain):
        chunks = cut("x:1", text, "en", size=size)
        assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
        assert [chunk.id for chunk in chunks] == [f"x:1#{i}" for i in range(len(chunks))]
        assert all(chunk.text == text[chunk.start : chunk.end] for chunk in chunks)
        assert all(chunk.text.strip() == chunk.text != "" for chunk in chunks)
        assert all(len(chunk.text) <= size for chunk in chunks)
        assert all(a.end <= b.start for a, b in pairwise(chunks))
        assert chunks == cut("x:1", text, "en", size=size)


@given(st.text(), st.integers(min_value=1, max_value=200))
def test_plain_text_loses_nothing_but_blanks(text: str, size: int) -> None:
    assert squeeze("".join(c.text for c in chunk_plain("x:1", text, "en", size=size))) == squeeze(text)


@given(st.lists(st.lists(SENTENCES, min_size=1, max_size=4), min_size=1, max_size=4))
def test_sections_lose_nothing_but_their_headings(sections: list[list[list[str]]]) -> None:
    bodies = ["\n\n".join(" ".join(paragraph) for paragraph in section) for section in sections]
    text = "\n".join(f"## Section {i}\n\n{body}\n" for i, body in enumerate(bodies))
    chunks = chunk_markdown("x:1", text, "en", size=60)
    for i, body in enumerate(bodies):
        assert squeeze("".join(c.text for c in chunks if c.section == f"Section {i}")) == squeeze(body)


@given(SENTENCES)
def test_a_sentence_that_fits_is_never_cut(parts: list[str]) -> None:
    text = " ".join(parts)
    ends = {end for _, end in sentences(text)}
    assert {chunk.end for chunk in chunk_markdown("x:1", text, "en", size=40)} <= ends


def test_the_section_is_the_path_of_headings_in_both_languages() -> None:
    chunks = chunk_markdown("x:1", GUIDELINE, "en")
    assert [chunk.section for chunk in chunks] == [
        "Gout — Example 2020",
        "Gout — Example 2020 › Flares › First line",
        "Gout — Example 2020 › 痛风慢性期",
    ]
    assert "降尿酸治疗应长期坚持。" in chunks[2].text
    assert "# not a heading" in chunks[2].text


def test_list_items_with_their_continuation_tables_and_code_stay_whole_where_they_fit() -> None:
    texts = [chunk.text for chunk in chunk_markdown("x:1", GUIDELINE, "en", size=70)]
    assert "- **Colchicine:** within 36 hours.\n  Continue until it settles." in texts
    assert "| Drug | Dose |\n|---|---|\n| Allopurinol | 100 mg |" in texts
    assert "```\n# not a heading\nStart low -> go slow\n```" in texts


def test_a_long_table_is_cut_between_rows() -> None:
    rows = [f"| 药物 {i} | {i} mg |" for i in range(20)]
    chunks = chunk_markdown("x:1", "\n".join(rows), "zh", size=60)
    assert [line for chunk in chunks for line in chunk.text.split("\n")] == rows


def test_a_sentence_longer_than_the_size_is_cut_at_a_pause() -> None:
    english = chunk_plain("x:1", "alpha, beta gamma delta epsilon zeta", "en", size=14)
    chinese = chunk_plain("x:1", "高尿酸血症患者应限制饮酒，控制体重，多饮水并规律运动", "zh", size=14)
    assert [c.text for c in english] == ["alpha, beta", "gamma delta", "epsilon zeta"]
    assert [c.text for c in chinese] == ["高尿酸血症患者应限制饮酒，", "控制体重，多饮水并规律运动"]


def test_a_text_of_headings_only_has_no_passage() -> None:
    assert chunk_markdown("x:1", "# One\n\n## Two\n", "en") == []


def test_a_line_with_a_number_sign_is_content_in_plain_text() -> None:
    assert [c.text for c in chunk_plain("x:1", "# of patients: 3", "en")] == ["# of patients: 3"]


@pytest.mark.parametrize("size", [0, -1])
def test_a_size_without_room_is_refused(size: int) -> None:
    with pytest.raises(ClewError) as caught:
        chunk_plain("x:1", "text", "en", size=size)
    assert caught.value.code is Code.BAD_INPUT


@pytest.mark.parametrize("line", ["# a", "## 标题", "#", "```py", "~~~", "| a | b |", "  # a", "\t| a", "\u3000```"])
def test_running_text_is_not_taken_for_markup(line: str) -> None:
    text = escape_markup(f"first\n{line}\nlast")
    (chunk,) = chunk_markdown("x:1", text, "en")
    assert (chunk.section, chunk.text) == ("", text)
    assert text.replace("\\", "", 1) == f"first\n{line}\nlast"


@pytest.mark.parametrize("line", ["a # b", "#a", "- # a", "`code`", "a | b", "#######", ""])
def test_text_that_is_no_markup_stays_as_it_is(line: str) -> None:
    assert escape_markup(f"{line}\n{line}") == f"{line}\n{line}"


def test_a_heading_ends_without_its_closing_marks() -> None:
    sections = [chunk.section for chunk in chunk_markdown("x:1", "# One ##  \na\n## C #\nb\n### # #\nc\n", "en")]
    assert sections == ["One", "One › C", "One › C › #"]


def test_a_line_too_long_for_a_heading_is_text() -> None:
    long = "# " + "word " * 1000
    chunks = chunk_markdown("x:1", f"# Title\n\n{long}\n\ntext\n", "en")
    assert {chunk.section for chunk in chunks} == {"Title"}
    assert chunks[0].text.startswith("# word")


@pytest.mark.parametrize(
    "text",
    [
        "# a" + " " * 900 + "b\n\ntext", ("# a" + " #" * 400 + " b\n") * 50 + "text", "x" * 3_000_000, "a, " * 700_000,
        "-" + " " * 100_000 + "x",
    ],
    ids=["blanks", "marks", "letters", "commas", "dash"],
)  # fmt: skip
def test_odd_text_is_cut_in_time_that_grows_with_its_length(text: str) -> None:
    started = time.perf_counter()
    chunks = chunk_markdown("x:1", text, "en")
    assert time.perf_counter() - started < 5
    assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
