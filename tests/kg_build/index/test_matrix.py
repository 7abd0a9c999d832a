"""The matrix on disk: equal tables give equal files, read as they were written or not at all."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from kg_build.index.matrix import load_matrix, save_matrix
from ontology.errors import ClewError, Code
from tests.reasoning.diagnosis.graph import NEAR_ROWS, ROWS, matrix


def test_equal_tables_give_equal_files(tmp_path: Path) -> None:
    matrix(tmp_path / "a")
    matrix(tmp_path / "b", list(reversed(ROWS)))
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes(), file.name


def test_what_is_saved_again_is_the_same_and_nothing_of_the_old_stays(tmp_path: Path) -> None:
    built = matrix(tmp_path / "a", NEAR_ROWS)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "left_behind.npy").touch()
    save_matrix(built, tmp_path / "b")
    assert {file.name for file in (tmp_path / "a").iterdir()} == {file.name for file in (tmp_path / "b").iterdir()}
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes(), file.name
    again = load_matrix(tmp_path / "b")
    assert (again.diseases, again.constants, again.successors) == (built.diseases, built.constants, built.successors)
    for item in fields(again.rows):
        assert np.array_equal(
            getattr(again.rows, item.name), getattr(built.rows, item.name), equal_nan=item.name == "share"
        )


def test_the_column_of_a_finding_sums_to_what_is_expected(tmp_path: Path) -> None:
    built = matrix(tmp_path / "matrix", NEAR_ROWS)
    sums = [built.column(finding)[1].sum() for finding in range(len(built.findings))]
    assert sums == pytest.approx(built.expected.tolist())


def test_an_empty_graph_has_an_empty_matrix(tmp_path: Path) -> None:
    assert matrix(tmp_path, []).diseases == ()


def test_a_missing_or_foreign_folder_is_a_coded_error(tmp_path: Path) -> None:
    (tmp_path / "words.json").write_text("{}")
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ClewError) as caught:
            load_matrix(folder)
        assert caught.value.code is Code.CORRUPT_RELEASE
