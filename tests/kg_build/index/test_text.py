import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_build.index.text import MOST_WORDS, Passage, TextIndex, build_text_index, tokens, update_text_index
from ontology.errors import ClewError, Code

PASSAGES = [
    Passage("x:af#0", "Atrial fibrillation guideline", "Stroke prevention", "Anticoagulants are recommended in AF."),
    Passage("x:gout#0", "Gout guideline", "Flares", "Colchicine treats flares within 3 days."),
    Passage("x:beta#0", "Heart failure", "", "A beta-blocker lowers mortality (IL-6 was not measured)."),
    Passage("x:ra#0", "类风湿关节炎诊疗指南", "药物治疗", "甲氨蝶呤是类风湿关节炎的首选药物。"),
    Passage("x:dm#0", "糖尿病防治指南", "控制目标", "成人2型糖尿病患者的 HbA1c 控制目标为 7% 以下。"),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> TextIndex:
    folder = tmp_path_factory.mktemp("index") / "text"
    build_text_index(PASSAGES, folder)
    return TextIndex(folder)


def first(index: TextIndex, query: str) -> str:
    return index.search(query, 1)[0][0]


def test_an_english_question_finds_english_text_whatever_the_word_form(index: TextIndex) -> None:
    assert first(index, "Which ANTICOAGULANT is used?") == "x:af#0"
    assert first(index, "treating a gout flare") == "x:gout#0"


def test_a_chinese_question_finds_chinese_text(index: TextIndex) -> None:
    assert first(index, "类风湿关节炎吃什么药？") == "x:ra#0"
    assert first(index, "糖尿病患者的控制目标是什么") == "x:dm#0"


def test_a_mixed_question_finds_both_languages(index: TextIndex) -> None:
    assert {chunk for chunk, _ in index.search("gout 痛风 关节炎", 10)} == {"x:gout#0", "x:ra#0"}
    assert first(index, "HbA1c target") == "x:dm#0"


def test_titles_and_section_paths_are_searched_too(index: TextIndex) -> None:
    assert first(index, "stroke prevention") == "x:af#0"
    assert first(index, "诊疗指南") == "x:ra#0"


def test_hyphenated_words_are_found_joined_split_and_hyphenated(index: TextIndex) -> None:
    for query in ("beta-blocker", "betablockers", "beta blocker", "IL6", "IL-6", "IL\u20106"):
        assert first(index, query) == "x:beta#0"


@pytest.mark.parametrize("query", ["", "   ", "?!。", "what is the", "这是什么？", "的"])
def test_a_question_without_indexed_words_finds_nothing(index: TextIndex, query: str) -> None:
    assert index.search(query, 10) == []


def test_a_number_finds_nothing_beside_words_that_find_nothing(index: TextIndex) -> None:
    assert index.search("3岁患儿头晕", 10) == []
    assert first(index, "3 days of colchicine") == "x:gout#0"
    assert [chunk for chunk, _ in index.search("3", 10)] == ["x:gout#0"]


def test_query_syntax_is_plain_text(index: TextIndex) -> None:
    plain = index.search("gout", 10)
    for query in ('"gout', "gout*", "gout~2", "gout^5", "(gout", "gout) AND", "+gout -[TO]", "\\gout:"):
        assert index.search(query, 10) == plain, query


@given(st.text())
def test_no_text_breaks_the_search(index: TextIndex, query: str) -> None:
    hits = index.search(query, 3)
    assert len(hits) <= 3
    assert [score for _, score in hits] == sorted((score for _, score in hits), reverse=True)


def test_equal_scores_are_ordered_by_id_and_the_limit_holds(tmp_path: Path) -> None:
    build_text_index([Passage(f"x:{i}#0", "", "", "same words") for i in (3, 1, 2)], tmp_path / "text")
    index = TextIndex(tmp_path / "text")
    assert [chunk for chunk, _ in index.search("words", 3)] == ["x:1#0", "x:2#0", "x:3#0"]
    assert len(index.search("words", 2)) == 2
    assert index.search("words", 0) == []
    assert len(index) == 3


def test_an_index_of_nothing_is_an_index(tmp_path: Path) -> None:
    build_text_index([], tmp_path / "text")
    assert TextIndex(tmp_path / "text").search("gout", 5) == []


def test_a_rebuild_replaces_the_index(tmp_path: Path) -> None:
    build_text_index(PASSAGES, tmp_path / "text")
    build_text_index(PASSAGES[:1], tmp_path / "text")
    assert len(TextIndex(tmp_path / "text")) == 1


def test_a_folder_that_is_no_index_is_a_corrupt_release(tmp_path: Path) -> None:
    with pytest.raises(ClewError) as caught:
        TextIndex(tmp_path)
    assert caught.value.code is Code.CORRUPT_RELEASE


def test_tokens_are_stems_in_english_and_words_with_pairs_in_chinese() -> None:
    assert tokens("The patient's Biopsies") == ["patient", "biopsi"]
    assert tokens("类风湿性关节炎的治疗") == [
        "类",
        "风湿性关节炎",
        "类风",
        "风湿",
        "湿性",
        "性关",
        "关节",
        "节炎",
        "治疗",
    ]
    assert tokens("ＨｂＡ１ｃ") == tokens("hba1c")


def test_an_updated_index_has_what_came_and_not_what_went_and_the_other_stays(tmp_path: Path) -> None:
    build_text_index(PASSAGES, tmp_path / "before")
    changed = Passage("x:gout#0", "Gout guideline", "Flares", "Naproxen treats flares.")
    more = Passage("x:痛风#0", "痛风指南", "", "秋水仙碱用于急性发作。")
    update_text_index(tmp_path / "before", tmp_path / "after", ["x:gout#0", "x:ra#0"], [changed, more])
    before, after = TextIndex(tmp_path / "before"), TextIndex(tmp_path / "after")
    assert len(after) == len(PASSAGES) == len(before)
    assert after.search("colchicine", 5) == after.search("甲氨蝶呤", 5) == []
    assert first(after, "naproxen") == "x:gout#0"
    assert first(after, "秋水仙碱") == "x:痛风#0"
    assert first(before, "colchicine") == "x:gout#0"


CHUNKS = [passage.chunk for passage in PASSAGES]
WORDS = ["gout", "flares", "colchicine", "days", "3", "beta-blocker", "类风湿关节炎", "糖尿病", "治疗", "zzz", "the"]
queries = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join) | st.text(max_size=40)


@given(queries, st.sets(st.sampled_from([*CHUNKS, "nowhere#0"])))
def test_given_passages_have_the_scores_that_they_are_found_with(index: TextIndex, query: str, among: set[str]) -> None:
    found = {chunk: score for chunk, score in index.search(query, 99) if chunk in among}
    assert index.scores(query, among) == pytest.approx(found)


def test_only_what_the_search_finds_has_a_score(index: TextIndex) -> None:
    assert index.scores("colchicine", CHUNKS).keys() == {"x:gout#0"}
    assert index.scores("痛风 关节炎", CHUNKS).keys() == {"x:ra#0"}
    assert index.scores("3岁患儿头晕", CHUNKS) == {}  # a number finds nothing beside words that find nothing
    assert index.scores("colchicine", []) == index.scores("the", CHUNKS) == index.scores("", CHUNKS) == {}


@given(queries)
def test_no_passage_reaches_the_ideal(index: TextIndex, query: str) -> None:
    best = max((score for _, score in index.search(query, 99)), default=0.0)
    assert best < index.ideal(query) or best == index.ideal(query) == 0


@settings(max_examples=10)
@given(st.lists(st.sampled_from(["gout", "stroke", "zzz", "糖尿病"]), min_size=1, max_size=40))
def test_no_repetition_of_words_in_a_passage_reaches_it_either(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("index") / "text"
    build_text_index([Passage("x:1#0", "", "", " ".join(words * 50)), Passage("x:2#0", "", "", "other")], folder)
    built, query = TextIndex(folder), " ".join(sorted(set(words)))
    assert built.search(query, 1)[0][1] < built.ideal(query)


def test_words_that_are_not_indexed_count_as_the_rarest(index: TextIndex) -> None:
    assert index.ideal("gout zzz") > 2 * index.ideal("gout")  # one passage has gout, none has the other
    assert index.ideal("gout 痛疯") > index.ideal("gout")
    assert index.ideal("gout gout gout") == index.ideal("gout")


@pytest.mark.parametrize("query", ["", " ", "what is the", "的", "?!"])
def test_a_text_without_words_has_no_ideal(index: TextIndex, query: str) -> None:
    assert index.ideal(query) == 0


def test_an_index_of_nothing_scores_nothing(tmp_path: Path) -> None:
    build_text_index([], tmp_path / "text")
    empty = TextIndex(tmp_path / "text")
    assert empty.scores("gout", ["x:gout#0"]) == {}
    assert empty.ideal("gout") >= 0


@pytest.mark.parametrize("word", ["gout", "痛风"])
def test_after_an_update_that_takes_nearly_all_away_no_passage_reaches_the_ideal(tmp_path: Path, word: str) -> None:
    many = [Passage(f"x:{i}#0", "", "", f"{word} {word}") for i in range(50)]
    build_text_index(many, tmp_path / "before")
    update_text_index(tmp_path / "before", tmp_path / "after", [passage.chunk for passage in many[1:]], [])
    after = TextIndex(tmp_path / "after")
    ((_, best),) = after.search(word, 99)
    assert 0 < best < after.ideal(word)


@pytest.mark.parametrize(
    "text",
    [
        "gout " * 10_000, "痛风" * 25_000, "a" * 50_000, " ".join(f"word{i}" for i in range(9_000)),
        "\u202e\x00\U0001f600" * 9_000, "'}) MATCH (n) DETACH DELETE n // " * 1_500, "gout~2 AND (" * 4_000,
        "\ud800" * 9_000,
    ],
    ids=["repeated", "Chinese", "one word", "many words", "no words", "Cypher", "query syntax", "surrogates"],
)  # fmt: skip
def test_a_text_of_fifty_thousand_characters_is_read_in_bounded_time(index: TextIndex, text: str) -> None:
    started = time.perf_counter()
    hits = index.search(text, 10)
    assert index.scores(text, CHUNKS).keys() == {chunk for chunk, _ in hits}
    assert index.ideal(text) >= max((score for _, score in hits), default=0.0)
    assert time.perf_counter() - started < 2


def test_words_beyond_the_most_are_not_searched(index: TextIndex) -> None:
    filler = " ".join(f"word{i}" for i in range(MOST_WORDS))
    assert index.search(f"{filler} gout", 1) == []
    assert index.search(f"gout {filler}", 1)[0][0] == "x:gout#0"
