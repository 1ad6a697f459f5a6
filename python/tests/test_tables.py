"""Tables go into data frames as they are."""

from __future__ import annotations

import duckdb
import pandas
import polars
import pyarrow
import pytest

import drivelab as dl

TABLE = dl.Table(
    [{"name": "a", "n": 1, "x": 1.5, "ok": True}, {"name": "b", "n": 2, "x": None, "ok": False}],
    units={"x": "s"},
)
EXPECTED = [("a", 1, 1.5, True), ("b", 2, None, False)]


def test_polars_takes_it() -> None:
    frame = polars.DataFrame(TABLE)
    assert frame.rows() == EXPECTED
    assert frame.schema["n"] == polars.Int64 and frame.schema["x"] == polars.Float64
    assert frame.equals(TABLE.to_polars())


def test_pyarrow_takes_it_with_units() -> None:
    table = pyarrow.table(TABLE)
    assert table.schema.field("x").metadata == {b"unit": b"s"}
    assert [tuple(row.values()) for row in table.to_pylist()] == EXPECTED


def test_pandas_and_duckdb_take_it() -> None:
    frame = TABLE.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["n"]) == [1, 2]
    assert duckdb.from_arrow(TABLE.to_arrow()).fetchall() == EXPECTED
    assert TABLE.to_duckdb().fetchall() == EXPECTED


def test_an_empty_table_and_mixed_values() -> None:
    assert polars.DataFrame(dl.Table([])).is_empty()
    mixed = dl.Table([{"v": 1}, {"v": "one"}, {"v": 2.5}])
    assert polars.DataFrame(mixed)["v"].to_list() == ["1", "one", "2.5"]


def test_a_page_shows_it() -> None:
    assert "<th>x (s)</th>" in TABLE._repr_html_()
    assert "&lt;" in dl.Table([{"a": "<"}])._repr_html_()
    assert repr(TABLE).splitlines()[1].split() == ["a", "1", "1.5", "True"]


def test_a_choice_without_a_winner_is_an_answer(small: dict[str, str]) -> None:
    few = {"load": "mixed@read=70%,qd=4", "repeats": 2, **small}
    none = dl.choose(["p4510"], require=["iops > 100 MIOPS"], **few)
    assert (none.chosen, none.is_sure, none.table["verdict"]) == (None, False, ["fails"])
    assert none.candidates["candidate"] == ["p4510-8tb"]
    with pytest.raises(dl.InputError):
        dl.choose(["p4510"], require=["iops > 1"], **few)


def test_results_are_tables(small: dict[str, str]) -> None:
    result = dl.test("mixed", on="p4510", read="70 %", **small)
    frame = polars.DataFrame(result)
    assert frame.equals(polars.DataFrame(result.table))
    assert set(frame.columns) == {"target", "metric", "value", "unit", "samples", "low", "high"}
    histogram = result.histograms["read_lat"]
    assert sum(histogram.counts) == result["read_lat_mean"].samples
    exact = result["read_lat_p99"].value
    assert abs(histogram.percentile(99) / exact - 1) < 0.05
    curve = dl.test("sustained-write", on="pm981a", **small).series["fill"]
    assert len(curve) > 10 and curve["bytes_per_s"][0] > curve["bytes_per_s"][-1]
    points = dl.test("load-curve", on="p4510", workload="sql", points=3, budget="5 ms").points
    assert points.units["iops"] == "1/s" and len(points) >= 3
