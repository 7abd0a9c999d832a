"""Reading a note: which step finds what, what stays provisional, what a heading says, and that nothing breaks it."""

from collections.abc import Collection, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.reading.linker import CONFIDENCE, TIED, Linker
from ontology.reading.near import Near
from ontology.reading.reader import CERTAIN, LEAST, LONGEST_SPAN, MOST_WINDOWS, UNMARKED, Note, Reader, probability
from ontology.reading.sense import Sense
from ontology.reading.terminology_build import build_terminology

SENSES = [
    Sense("HP:1", "PhenotypicFeature", "en", "Fever", "label"),
    Sense("HP:1", "PhenotypicFeature", "zh", "发热", "label"),
    Sense("HP:2", "PhenotypicFeature", "en", "Tachycardia", "label"),
    Sense("HP:2", "PhenotypicFeature", "zh", "心悸", "label"),
    Sense("HP:3", "PhenotypicFeature", "en", "Hand swelling", "label"),
    Sense("HP:3", "PhenotypicFeature", "zh", "双手肿胀", "label"),
    Sense("HP:4", "PhenotypicFeature", "en", "Foot swelling", "label"),
    Sense("HP:4", "PhenotypicFeature", "zh", "双足肿胀", "label"),
    Sense("HP:3", "PhenotypicFeature", "en", "Swelling of hands", "exact"),
    Sense("HP:4", "PhenotypicFeature", "en", "Swelling of feet", "exact"),
    Sense("HP:5", "PhenotypicFeature", "en", "Scoliosis", "label"),
    Sense("HP:6", "PhenotypicFeature", "en", "Chronic obstructive pulmonary disease", "label"),
    Sense("HP:7", "PhenotypicFeature", "en", "Pain", "label"),
    Sense("HP:8", "PhenotypicFeature", "en", "Chest pain", "label"),
    Sense("HP:9", "PhenotypicFeature", "zh", "病史", "label"),
    Sense("A:1", "Disease", "en", "Cold", "label"),
    Sense("B:1", "Disease", "en", "Cold", "label"),
    Sense("HP:10", "PhenotypicFeature", "en", "Hypertension", "label"),
    Sense("HP:10", "PhenotypicFeature", "zh", "高血压", "label"),
    Sense("DRUG:1", "Drug", "en", "Aspirin", "label"),
]
LINKER = Linker(build_terminology(SENSES), {"HP": 0})


class FewMeanings:
    """Knows what some phrases mean, and how sure it is; of anything else nothing."""

    def __init__(self, known: dict[str, Near]) -> None:
        self.known = known
        self.asked: list[str] = []

    def nearest(
        self, texts: Sequence[str], *, limit: int = 5, types: Collection[str] | None = None
    ) -> list[list[Near]]:
        self.asked += texts
        found = (self.known.get(text.lower()) for text in texts)
        return [[near] if near and (types is None or near.type in types) else [] for near in found]


def racing(score: float = 0.95, margin: float = 0.2) -> FewMeanings:
    near = Near("HP:2", "PhenotypicFeature", "Racing heart", score, margin)
    return FewMeanings({"racing heart": near, "心里发慌": Near("HP:2", "PhenotypicFeature", "心慌", 3.0, 0.5)})


def read(text: str, reader: Reader | None = None, **options: object) -> Note:
    note = (reader or Reader(LINKER, racing())).read(text, **options)  # type: ignore[arg-type]
    for reading in note.readings:
        assert text[reading.link.start : reading.link.end] == reading.link.text
    return note


def found(text: str, reader: Reader | None = None, **options: object) -> list[tuple[str, str, str]]:
    """Text, entity and method of each finding."""
    return [(r.link.text, r.link.entity, r.link.method) for r in read(text, reader, **options).readings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fever today.", [("Fever", "HP:1", "exact")]),
        ("She has a racing heart.", [("racing heart", "HP:2", "meaning")]),
        ("Known scolliosis.", [("scolliosis", "HP:5", "near")]),
        ("患者发热。", [("发热", "HP:1", "exact")]),
        ("患者心里发慌。", [("心里发慌", "HP:2", "meaning")]),
        ("Nothing of note.", []),
    ],
)
def test_each_step_finds_what_the_steps_before_it_left(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(text) == expected


def test_what_has_a_name_is_not_read_by_meaning() -> None:
    meanings = racing()
    read("Fever and scoliosis.", Reader(LINKER, meanings))
    assert not any("fever" in asked.lower() for asked in meanings.asked)


def test_without_meanings_the_dictionary_still_reads() -> None:
    assert found("Racing heart and fever.", Reader(LINKER)) == [("fever", "HP:1", "normalised")]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Swelling of hands and feet.", {"HP:3": ["Swelling of hands"], "HP:4": ["Swelling", "feet"]}),
        ("Hand and foot swelling.", {"HP:3": ["Hand", "swelling"], "HP:4": ["foot swelling"]}),
        ("双手、双足肿胀。", {"HP:3": ["双手", "肿胀"], "HP:4": ["双足肿胀"]}),
    ],
)
def test_mentions_that_share_a_word_are_given_in_their_pieces(text: str, pieces: dict[str, list[str]]) -> None:
    links = [reading.link for reading in read(text).readings]
    assert {link.entity: [text[a:b] for a, b in link.parts or ((link.start, link.end),)] for link in links} == pieces


def test_a_finding_does_not_borrow_a_word_to_become_itself() -> None:
    meanings = FewMeanings({"scoliosis pain": Near("HP:5", "PhenotypicFeature", "Scoliosis", 0.99, 0.5)})
    assert found("Scoliosis and chest pain.", Reader(LINKER, meanings)) == [
        ("Scoliosis", "HP:5", "exact"),
        ("chest pain", "HP:8", "normalised"),
    ]


def test_a_short_form_means_what_the_text_says() -> None:
    text = "Chronic obstructive pulmonary disease (COPD). No COPD before."
    assert [(r.link.text, r.link.entity, r.status) for r in read(text).readings] == [
        ("Chronic obstructive pulmonary disease", "HP:6", "present"),
        ("COPD", "HP:6", "present"),
        ("COPD", "HP:6", "absent"),
    ]


def test_what_is_read_by_meaning_is_as_sure_as_it_was_measured_and_below_the_least_nothing() -> None:
    sure, unsure, none = (racing(score, margin) for score, margin in ((0.95, 0.2), (0.9, 0.02), (0.3, 0.0)))
    said = [read("A racing heart.", Reader(LINKER, meanings)).readings for meanings in (sure, unsure, none)]
    assert (
        said[0][0].link.confidence
        == round(UNMARKED["en"] * probability(sure.known["racing heart"], "en"), 4)
        >= CERTAIN
    )
    assert LEAST <= said[1][0].link.confidence < CERTAIN
    assert said[2] == ()


def test_of_equal_names_the_one_that_hangs_together_with_the_rest_is_meant() -> None:
    related = {"B:1": {"HP:1"}}
    alone = Reader(LINKER, None, lambda _: ()).links("cold")
    assert [(link.entity, link.confidence) for link in alone] == [("A:1", round(CONFIDENCE["label"] * TIED, 4))]
    wide = Linker(build_terminology([*SENSES, Sense("C:1", "Disease", "en", "Chill", "related"),
                                     Sense("D:1", "Disease", "en", "Chill", "related")]), {"HP": 0})  # fmt: skip
    reader = Reader(wide, None, lambda curie: {"D:1": {"HP:1"}}.get(curie, related.get(curie, ())))
    links = {link.text: link for link in reader.links("Fever and chill")}
    assert (links["chill"].entity, links["chill"].alternatives) == ("D:1", ["C:1"])
    assert {link.entity for link in reader.links("chill")} == {"C:1"}


@pytest.mark.parametrize(
    ("text", "statuses"),
    [
        ("FH: scoliosis.", ["family"]),
        ("PMH: hypertension.", ["historical"]),
        ("PMH: no hypertension.", ["absent"]),
        ("家族史：高血压。", ["family"]),
        ("既往史：高血压。", ["historical"]),
        ("既往史：高血压10年。", ["present"]),
        ("现病史：发热。", ["present"]),
        ("FH: scoliosis.\nFever.", ["family", "present"]),
    ],
)
def test_a_heading_says_what_the_sentence_does_not(text: str, statuses: list[str]) -> None:
    assert [reading.status for reading in read(text).readings] == statuses


def test_a_heading_itself_names_nothing() -> None:
    note = read("现病史：发热。")
    assert [(r.link.text, r.section) for r in note.readings] == [("发热", "present_illness")]


def test_chinese_findings_come_with_what_english_has_for_them() -> None:
    meanings = FewMeanings({"发热": Near("HP:1", "PhenotypicFeature", "Fever", 3.0, 1.0)})
    (reading,) = read("发热。", Reader(LINKER, meanings)).readings
    assert reading.near is not None
    assert reading.near.name == "Fever"


def test_nested_names_are_given_when_asked_for() -> None:
    assert found("Chest pain.") == [("Chest pain", "HP:8", "exact")]
    assert found("Chest pain.", nested=True) == [("Chest pain", "HP:8", "exact"), ("pain", "HP:7", "normalised")]


def test_given_stretches_are_linked_by_name_then_spelling_then_meaning() -> None:
    text = "Fever, scolliosis, racing heart, weather, aspirin"
    spans = [(0, 5), (7, 17), (19, 31), (33, 40), (42, 49)]
    links = Reader(LINKER, racing()).link_spans(text, spans)
    assert [(link.text, link.method) for link in links] == [
        ("Fever", "exact"),
        ("scolliosis", "near"),
        ("racing heart", "meaning"),
    ]


def test_stretches_that_are_none_are_passed_over() -> None:
    text = "fever " + "x" * 1000
    wrong = [(-1, 5), (5, 0), (3, 3), (0, 10**9), (6, 6 + LONGEST_SPAN + 1)]
    assert Reader(LINKER, racing()).link_spans(text, wrong) == []


def test_what_others_detect_is_linked_where_no_name_was_found() -> None:
    near = Near("HP:2", "PhenotypicFeature", "Racing heart", 0.95, 0.3)
    reader = Reader(LINKER, FewMeanings({"heart has been racing": near}))
    text = "Her heart has been racing, with chest pain."
    assert [entity for _, entity, _ in found(text, reader)] == ["HP:8"]
    assert found(text, reader, detected=[(4, 25), (27, 42)]) == [
        ("heart has been racing", "HP:2", "meaning"),
        ("chest pain", "HP:8", "normalised"),
    ]


def test_what_is_too_much_to_be_read_by_meaning_is_counted() -> None:
    assert read("Fever.").unread == 0
    assert read("Strange thing seen. " * (MOST_WINDOWS + 7)).unread > 0


PIECES = st.sampled_from(
    [
        *[
            "fever",
            "racing heart",
            "hands and feet",
            "swelling of ",
            "（COPD）",
            "(COPD)",
            "发热",
            "双手、双足肿胀",
            "无",
        ],
        *["FH:", "既往史：", "39.2℃", " no ", ". ", "\n", "\u200d", "\u202e", "🤒", "\x00", "\x1b[31m", "\ud800"],
        *["é", "e\u0301", "ﬁ", "עברית"],
    ]
)


@given(st.lists(PIECES | st.text(max_size=4), max_size=12).map("".join), st.booleans())
def test_every_span_is_the_text_at_its_place_whatever_the_text(text: str, nested: bool) -> None:
    note = read(text, nested=nested, detected=[(0, 4), (2, 9)])
    for reading in note.readings:
        link = reading.link
        assert 0 <= link.start < link.end <= len(text)
        if link.parts:
            assert (link.parts[0][0], link.parts[-1][1]) == (link.start, link.end)
            assert all(a < b for a, b in link.parts)
            assert all(one[1] <= other[0] for one, other in zip(link.parts, link.parts[1:], strict=False))
    assert all(text[value.start : value.end] == value.text for value in note.values)
    assert "".join(text[section.start : section.end] for section in note.sections) == text


@given(st.text(alphabet=st.characters(), max_size=60))
def test_any_code_points_are_read(text: str) -> None:
    read(text)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["a ", "x", "、", "(", "FH:", "hand and ", "发", "\u200d", "1"])
def test_a_long_text_of_one_piece_ends(piece: str) -> None:
    read(piece * (1_000_000 // len(piece)))


@pytest.mark.timeout(60)
@pytest.mark.timeout(240)  # half a minute on a quiet machine
def test_a_text_of_10_mb_ends() -> None:
    text = "Nothing else was told of this patient. " * 250_000 + "Fever."
    assert [r.link.start for r in read(text).readings] == [len(text) - 6]
