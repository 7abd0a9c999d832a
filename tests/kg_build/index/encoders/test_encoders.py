"""What every encoder keeps: one vector a text, of one length, whatever the text."""

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_build.index.encoder import Encoder, well_formed
from kg_build.index.encoders.models import MINILM, find_model, prepare
from kg_build.index.encoders.multilingual import MultilingualEncoder
from kg_build.index.encoders.transformers import MedCPT, TransformersEncoder
from ontology.errors import ClewError, Code
from tests.miniature import NO_INDEX
from tests.model import write_model

ENCODERS: dict[str, Callable[[Path], Encoder]] = {
    "multilingual": lambda _: MultilingualEncoder(),
    "minilm": lambda home: (
        prepare(write_model(home / "data"), home / "cache", NO_INDEX, [home / "data"], print).encoder
    ),
    "sentence-transformers": lambda _: TransformersEncoder("some/model"),
}
HOSTILE = ("", " ", "\0\x07\x1b[0m", "🩺🤒", "حمى وسعال", "half \ud83d of a pair", "发热" * 3000, "fever " * 20_000)


@pytest.fixture(scope="module", params=ENCODERS)
def encoder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return ENCODERS[request.param](tmp_path_factory.mktemp("home"))


@pytest.fixture(autouse=True)
def _library(stubbed: None) -> None:
    """For all of them."""


def test_a_vector_a_text_of_the_dimension_and_length_one(encoder: Encoder) -> None:
    for encode in (encoder.encode, encoder.encode_queries):
        vectors = encode(["fever", "发热", "blood pressure"])
        assert vectors.shape == (3, encoder.dim)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
        assert encode([]).shape == (0, encoder.dim)
        assert encode([]).dtype == np.float32


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_hostile_texts_have_a_vector_too(encoder: Encoder, text: str) -> None:
    assert np.isfinite(encoder.encode([text])).all()
    assert np.isfinite(encoder.encode_queries([text])).all()


def test_company_does_not_matter(encoder: Encoder) -> None:
    alone = encoder.encode(["fever"])[0]
    assert np.allclose(encoder.encode(["fever for three days " * 30, "fever", ""])[1], alone, atol=1e-5)


def test_it_goes_to_another_process_without_its_model(encoder: Encoder) -> None:
    vector = encoder.encode(["fever"])
    sent = pickle.dumps(encoder)
    assert len(sent) < 1000
    assert np.array_equal(pickle.loads(sent).encode(["fever"]), vector)  # noqa: S301  (our own bytes)


def test_the_name_is_that_of_any_other_of_its_kind(encoder: Encoder) -> None:
    assert encoder.name == pickle.loads(pickle.dumps(encoder)).name  # noqa: S301
    assert "\n" not in encoder.name


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters()))
def test_a_well_formed_text_can_be_written_and_is_as_long(text: str) -> None:
    assert len(well_formed(text).encode().decode()) == len(text)
    assert well_formed(well_formed(text)) == well_formed(text)


def test_settings_name_a_model() -> None:
    assert find_model("multilingual") is None
    assert find_model("minilm") is MINILM
    assert isinstance(find_model("medcpt").open(Path()), MedCPT)  # type: ignore[union-attr]
    assert isinstance(find_model("some/model").open(Path()), TransformersEncoder)  # type: ignore[union-attr]


def test_minilm_reads_the_first_256_tokens_and_no_more(tmp_path: Path) -> None:
    encoder = ENCODERS["minilm"](tmp_path)
    first, longer, other = encoder.encode(["fever " * 254, "fever " * 254 + "gout", "fever " * 253 + "gout"])
    assert np.array_equal(first, longer)
    assert not np.array_equal(first, other)


def test_minilm_finds_shared_words(tmp_path: Path) -> None:
    one, same, other = ENCODERS["minilm"](tmp_path).encode(["high blood pressure", "blood pressure", "gout crystals"])
    assert one @ same > one @ other + 0.3


def test_what_is_pinned_is_what_the_build_downloads() -> None:
    assert [len(artefact.sha256) for artefact in MINILM.artefacts] == [64, 64]
    assert sum(artefact.size for artefact in MINILM.artefacts) == 104_466_786


def test_a_model_is_unpacked_once_and_then_needs_its_archives_no_more_than_for_checking(tmp_path: Path) -> None:
    model = write_model(tmp_path / "data")
    first = prepare(model, tmp_path / "cache", NO_INDEX, [tmp_path / "data"], print)
    stamp = (first.folder / "model.onnx").stat().st_mtime_ns
    again = prepare(model, tmp_path / "cache", NO_INDEX, [tmp_path / "data"], print)
    assert again.folder == first.folder
    assert (again.folder / "model.onnx").stat().st_mtime_ns == stamp


def test_a_missing_and_a_damaged_archive_are_said(tmp_path: Path) -> None:
    data = tmp_path / "data"
    model = write_model(data)
    name = model.artefacts[0].filename
    content = (data / name).read_bytes()
    (data / name).unlink()
    with pytest.raises(ClewError) as caught:
        prepare(model, tmp_path / "cache", NO_INDEX, [data], print)
    assert (caught.value.code, name in caught.value.cause) == (Code.UNREACHABLE_ARTEFACT, True)
    (data / name).write_bytes(content[:-1])
    with pytest.raises(ClewError) as caught:
        prepare(model, tmp_path / "cache", NO_INDEX, [data], print)
    assert caught.value.code is Code.CORRUPT_ARTEFACT
    assert not list((tmp_path / "cache").glob("models/*"))
