"""Models of sentence-transformers. The library is a stub here: what is tested is what clew asks of it."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kg_build.index.encoders import transformers as module
from kg_build.index.encoders.transformers import MedCPT, TransformersEncoder
from ontology.errors import ClewError, Code


@pytest.mark.usefixtures("stubbed")
def test_passages_and_queries_each_go_to_their_side() -> None:
    encoder = TransformersEncoder("some/model")
    encoder.encode(["fever"])
    encoder.encode_queries(["fever"])
    how = {"normalize_embeddings": True}
    assert encoder._model.calls == [("encode_document", how), ("encode_query", how)]
    assert encoder.name == "sentence-transformers 5.0 some/model"


@pytest.mark.usefixtures("stubbed")
def test_a_folder_with_other_content_is_another_encoder(tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(b"1")
    before = TransformersEncoder(str(tmp_path)).name
    (tmp_path / "weights").write_bytes(b"2")
    assert TransformersEncoder(str(tmp_path)).name != before


@pytest.mark.usefixtures("stubbed")
def test_medcpt_has_two_models_and_keeps_the_length_of_vectors() -> None:
    encoder = MedCPT()
    vectors = encoder.encode(["fever fever"]), encoder.encode_queries(["fever fever"])
    models: list[Any] = [encoder._articles, encoder._queries]
    assert [model.name for model in models] == ["ncbi/MedCPT-Article-Encoder", "ncbi/MedCPT-Query-Encoder"]
    assert [model.max_seq_length for model in models] == [512, 64]
    assert [model.calls for model in models] == [[("encode", {"output_value": "token_embeddings"})]] * 2
    assert all(found.shape[0] == 1 and np.linalg.norm(found) > 2 for found in vectors)
    assert encoder.encode([]).shape == (0, encoder.dim)


@pytest.mark.usefixtures("stubbed")
def test_a_model_that_cannot_be_opened_is_named() -> None:
    with pytest.raises(ClewError) as caught:
        TransformersEncoder("nowhere").encode(["fever"])
    assert caught.value.code is Code.BAD_SETTINGS
    assert "nowhere" in caught.value.cause


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(_: str) -> str:
        raise module.PackageNotFoundError("sentence-transformers")

    monkeypatch.setattr(module, "version", absent)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    encoder = TransformersEncoder("some/model")
    for ask in (lambda: encoder.name, lambda: encoder.encode(["fever"]), lambda: MedCPT().encode_queries(["fever"])):
        with pytest.raises(ClewError) as caught:
            ask()
        assert caught.value.code is Code.MISSING_EXTRA
        assert "clew[transformers]" in caught.value.remedy
