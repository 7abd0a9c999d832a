from pathlib import Path

import pytest

from kg_build.order import Order, kept_order, open_order

ORDER = Order(("hpo", "documents"), ("资料", "https://example.org/table.tsv"))


def test_an_order_is_open_until_its_build_has_ended(tmp_path: Path) -> None:
    assert open_order(tmp_path) is None
    with kept_order(tmp_path, ORDER):
        assert open_order(tmp_path) == ORDER
    assert open_order(tmp_path) is None


def test_the_order_of_a_build_that_failed_stays_open(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), kept_order(tmp_path, ORDER):
        raise KeyboardInterrupt
    assert open_order(tmp_path) == ORDER


@pytest.mark.parametrize("content", ["", "[]", '{"sources": 3}', "\ud800"])
def test_a_damaged_note_is_no_order(tmp_path: Path, content: str) -> None:
    (tmp_path / "building.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    assert open_order(tmp_path) is None
