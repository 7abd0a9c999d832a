"""The search of passages, over the miniature release: stages, presets, components."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from api.compose import Clew
from ontology.errors import ClewError, Code
from retrieval.channels.dense import AskedMeaning
from retrieval.complexity import channels_of
from retrieval.hit import CHANNELS, Channel
from retrieval.journal import Journal
from retrieval.passage import Passage
from retrieval.preset import COMPONENTS, Preset, load_preset, preset_names
from retrieval.question import Question
from retrieval.search import EXTRA, FEEDBACK, POOL, PassageSearch

QUESTIONS = [
    "What is used to treat hypertension?",
    "Which diseases present with seizure? She is 30. What else?",
    "What do Marfan syndrome and Homocystinuria have in common?",
    "When are two drugs needed at the start?",
    "高血压首选什么药？",
    "感冒有哪些症状？要多久才好？",
    "马凡综合征与哪些基因有关？",
]
CHANNEL_STAGES = set(CHANNELS)


@pytest.fixture(scope="module")
def graph(miniature_home: Path) -> Clew:
    return Clew.open(miniature_home)


@pytest.fixture(scope="module")
def search(graph: Clew) -> PassageSearch:
    return graph.retriever.passages


@pytest.fixture(scope="module")
def questions(graph: Clew) -> list[Question]:
    return [graph.interpreter.interpret(text) for text in QUESTIONS]


def changed(preset: Preset, section: str, **values: object) -> Preset:
    known = getattr(preset.values, section)
    return replace(preset, values=preset.values.model_copy(update={section: known.model_copy(update=values)}))


def check_journal(journal: Journal, selected: Sequence[Passage]) -> None:
    """What is in one stage is kept or fallen in the next, and nothing comes from nowhere."""
    stages = [stage for stage in journal.stages if stage.name not in CHANNEL_STAGES]
    found = {chunk for stage in journal.stages if stage.name in CHANNEL_STAGES for chunk in stage.kept}
    before = found
    for stage in stages:
        assert stage.kept.keys() | stage.fallen.keys() == before, stage.name
        assert not stage.kept.keys() & stage.fallen.keys(), stage.name
        assert all(one.reason and one.id == key for key, one in stage.fallen.items())
        before = set(stage.kept)
    assert list(stages[-1].kept) == [passage.chunk for passage in selected]


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_answers_in_both_languages_and_the_journal_accounts_for_every_passage(
    search: PassageSearch, questions: list[Question], name: str
) -> None:
    preset = load_preset(name)
    for question in questions:
        journal = Journal()
        found = search.selected(question, preset, journal)
        check_journal(journal, found)
        assert bool(found) == any(stage.kept for stage in journal.stages if stage.name in CHANNEL_STAGES)
        assert len(found) <= preset.values.passages.most
        assert len({p.chunk for p in found}) == len(found)
        asked = [stage.name for stage in journal.stages if stage.name in CHANNEL_STAGES]
        assert asked == list(channels_of(question, preset.values.router))
        assert all(p.by_channel.keys() == set(asked) for p in found)


@pytest.mark.parametrize("component", COMPONENTS)
@pytest.mark.parametrize("name", preset_names())
def test_every_component_can_be_left_out(
    search: PassageSearch, questions: list[Question], name: str, component: str
) -> None:
    preset = load_preset(name).without(component)
    for question in (questions[0], questions[4]):
        journal = Journal()
        found = search.selected(question, preset, journal)
        check_journal(journal, found)
        assert bool(found) == bool(channels_of(question, preset.values.router))
        assert all(component not in p.by_channel for p in found)


def test_without_any_channel_nothing_is_found_and_it_is_written_down(
    search: PassageSearch, questions: list[Question]
) -> None:
    preset, journal = load_preset("gentext").without("lexical"), Journal()
    assert search.selected(questions[0], preset, journal) == []
    assert journal.stages[0].name == "fusion"
    assert not any(stage.kept or stage.fallen for stage in journal.stages)


@pytest.mark.parametrize("name", preset_names())
def test_writing_the_journal_changes_nothing_and_neither_does_asking_again(
    search: PassageSearch, questions: list[Question], name: str
) -> None:
    for question in questions[:5:4]:
        once = search.selected(question, load_preset(name))
        assert once == search.selected(question, load_preset(name), Journal())


@pytest.mark.parametrize("limit", [0, 1, 3, 1000])
def test_a_ranking_has_as_many_as_wanted_and_is_the_same_however_many(
    search: PassageSearch, questions: list[Question], limit: int
) -> None:
    preset = load_preset().without("duplicates")
    every = search.ranked(questions[0], preset, 500)
    assert [p.chunk for p in search.ranked(questions[0], preset, limit)] == [p.chunk for p in every[:limit]]
    assert [p.score for p in every] == sorted((p.score for p in every), reverse=True)


def test_duplicates_make_room_for_others(search: PassageSearch, questions: list[Question]) -> None:
    plain = search.ranked(questions[0], load_preset().without("duplicates"), 7)
    same = {plain[1].chunk, plain[2].chunk, plain[3].chunk}

    class Repeating:
        def read(self, chunks: Sequence[str]) -> dict[str, Passage]:
            found = search.reader.read(chunks)
            return {c: replace(p, text=plain[1].text) if c in same else p for c, p in found.items()}

    found = replace(search, reader=Repeating()).ranked(questions[0], load_preset(), 5)
    assert [p.chunk for p in found] == [plain[at].chunk for at in (0, 1, 4, 5, 6)]
    assert [p.repeated for p in found] == [0, 2, 0, 0, 0]


def test_a_chinese_question_of_words_that_no_passage_has_is_left_to_the_other_channels(
    search: PassageSearch, questions: list[Question]
) -> None:
    question = questions[6]
    assert search.selected(question, load_preset("gentext")) == []
    found = (
        search.selected(question, load_preset("gentext").without("lexical")),
        search.selected(question, load_preset()),
    )
    assert [bool(one) for one in found] == [False, True]


def test_a_ranking_is_the_fusion_of_what_each_channel_finds(search: PassageSearch, questions: list[Question]) -> None:
    preset = load_preset().without("feedback").without("duplicates")
    for question in questions:
        asked = {channel: search.alone(question, channel, preset) for channel in CHANNELS}
        hits = search.fused(question, preset)
        channels = preset.values.router.above if question.topics else preset.values.router.below
        depth = preset.values.fusion.depth
        alone = {hit.chunk for c in channels if (one := asked[c]) for hit in one.best(depth)}
        assert {hit.chunk for hit in hits} == alone
        for hit in hits:
            for channel in channels:
                own = asked[channel]
                assert own
                expected = preset.values.fusion.weights[channel] * own.scores([hit.chunk]).get(hit.chunk, 0.0)
                assert hit.by_channel[channel] == pytest.approx(expected, abs=1e-5)
        found = search.ranked(question, preset, 5)
        assert [(p.chunk, p.score, p.by_channel) for p in found] == [
            (hit.chunk, hit.score, hit.by_channel) for hit in hits[:5]
        ]


def test_feedback_moves_the_dense_query_to_what_all_channels_think_best_and_no_other_channel(
    search: PassageSearch, questions: list[Question]
) -> None:
    question, preset = questions[0], load_preset()
    before, after = search.fused(question, preset.without("feedback")), search.fused(question, preset)
    asked = search.alone(question, "dense", preset)
    assert isinstance(asked, AskedMeaning)
    moved = asked.towards([hit.chunk for hit in before[:FEEDBACK]], preset.values.fusion.feedback)
    thought = moved.scores([hit.chunk for hit in after])
    for hit in after:
        assert hit.by_channel["dense"] == pytest.approx(preset.values.fusion.dense * thought[hit.chunk], abs=1e-5)
    unmoved = {hit.chunk: hit.by_channel for hit in before}
    for hit in after:
        if hit.chunk in unmoved:
            for channel in ("lexical", "graph"):
                assert hit.by_channel[channel] == pytest.approx(unmoved[hit.chunk][channel], abs=1e-9)


def test_feedback_without_a_dense_channel_or_without_a_find_is_nothing(
    search: PassageSearch, questions: list[Question], graph: Clew
) -> None:
    preset = changed(load_preset("gentext"), "fusion", feedback=1.0)
    assert search.fused(questions[0], preset) == search.fused(questions[0], load_preset("gentext"))
    nothing = graph.interpreter.interpret("the")
    assert search.fused(nothing, load_preset().without("dense")) == []


def test_adaptive_weights_move_with_the_question(search: PassageSearch, questions: list[Question]) -> None:
    preset = changed(load_preset().without("feedback"), "fusion", adaptive=1.0)
    fixed, moved = (search.fused(questions[0], p) for p in (preset.without("adaptive weights"), preset))
    parts = {hit.chunk: hit.by_channel for hit in fixed}
    for channel in CHANNELS:
        ratios = {
            round(hit.by_channel[channel] / parts[hit.chunk][channel], 6)
            for hit in moved
            if hit.chunk in parts and abs(parts[hit.chunk][channel]) > 1e-6
        }
        assert len(ratios) == 1  # one weight for all passages of a question
        assert 0 <= ratios.pop() <= 2


def test_without_vectors_the_other_channels_search(search: PassageSearch, questions: list[Question]) -> None:
    without = replace(search, dense=None)
    assert without.alone(questions[0], "dense", load_preset()) is None
    assert without.ask(questions[0], load_preset()).keys() == {"lexical", "graph"}
    found = without.selected(questions[0], load_preset())
    assert found
    assert all(p.by_channel.keys() == {"lexical", "graph"} for p in found)
    assert without.selected(questions[0], load_preset("sema-rag")) == []  # dense retrieval only


class ByLength:
    """A re-ranker that likes long passages."""

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        return [float(len(passage)) for passage in passages]


def test_a_re_ranker_orders_the_best_anew_and_loses_nobody(search: PassageSearch, questions: list[Question]) -> None:
    opened: list[str] = []

    def open_it(name: str) -> ByLength:
        opened.append(name)
        return ByLength()

    preset = changed(load_preset(), "passages", reranker="some/model", reranked=5)
    reranking, journal = replace(search, reranker=open_it), Journal()
    found = reranking.ranked(questions[0], preset, 20, journal)
    plain = search.ranked(questions[0], preset.without("reranker"), 20)
    assert opened == ["some/model"]
    assert [p.chunk for p in found[:5]] == [p.chunk for p in sorted(plain[:5], key=lambda p: -len(p.text))]
    assert found[5:] == plain[5:]
    assert "reranker" in [stage.name for stage in journal.stages]


def test_a_re_ranker_that_is_not_there_is_a_coded_error(search: PassageSearch, questions: list[Question]) -> None:
    preset = changed(load_preset(), "passages", reranker="/nowhere/at/all")
    with pytest.raises(ClewError) as caught:
        search.ranked(questions[0], preset, 3)
    assert caught.value.code in (Code.MISSING_EXTRA, Code.BAD_SETTINGS)


def test_a_passage_that_an_index_knows_and_the_store_does_not_falls_with_its_reason(
    search: PassageSearch, questions: list[Question]
) -> None:
    preset = load_preset()
    lost = search.ranked(questions[0], preset, 1)[0].chunk

    class Forgetful:
        def read(self, chunks: Sequence[str]) -> dict[str, Passage]:
            return {chunk: p for chunk, p in search.reader.read(chunks).items() if chunk != lost}

    journal = Journal()
    found = replace(search, reader=Forgetful()).selected(questions[0], preset, journal)
    assert found
    assert lost not in {p.chunk for p in found}
    check_journal(journal, found)
    assert [stage.fallen[lost].reason for stage in journal.stages if lost in stage.fallen] == ["its text is not there"]


def test_the_stages_of_the_default_in_their_order(search: PassageSearch, questions: list[Question]) -> None:
    journal = Journal()
    search.selected(questions[0], load_preset(), journal)
    assert [stage.name for stage in journal.stages] == [
        *CHANNELS, "fusion", "read", "duplicates", "ranking", "drug tier", "quotas", "budget",
    ]  # fmt: skip


def test_no_more_is_read_than_the_stages_need(search: PassageSearch, questions: list[Question]) -> None:
    read: list[int] = []

    class Noting:
        def read(self, chunks: Sequence[str]) -> dict[str, Passage]:
            read.append(len(chunks))
            return search.reader.read(chunks)

    preset = changed(load_preset(), "passages", most=1)
    replace(search, reader=Noting()).selected(questions[0], preset)
    assert read == [min(POOL + EXTRA, len(search.fused(questions[0], preset)))]


@pytest.mark.parametrize(
    ("text", "first"),
    [("What is arachnodactyly?", "HP:0001166"), ("What is a lens that has left its place?", "HP:0001083")],
)
def test_what_defines_a_thing_is_found_first(search: PassageSearch, graph: Clew, text: str, first: str) -> None:
    found = search.ranked(graph.interpreter.interpret(text), load_preset(), 3)
    assert found[0].document == f"clew.doc:hpo/{first}"


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_channel_alone_is_what_the_search_asks(
    search: PassageSearch, questions: list[Question], channel: Channel
) -> None:
    asked = search.alone(questions[4], channel, load_preset())
    assert asked
    best = asked.best(5)
    assert best
    assert {hit.channel for hit in best} == {channel}
    assert asked.scores([hit.chunk for hit in best]) == pytest.approx({h.chunk: h.score for h in best}, abs=1e-5)
