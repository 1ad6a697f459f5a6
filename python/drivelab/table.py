"""Rows and columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _native

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars
    import pyarrow


class Tabular:
    """A result whose table goes into a data frame as it is: ``polars.DataFrame(result)``."""

    @property
    def table(self) -> Table:
        """The numbers, one a row."""
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return repr(self.table)


class Table:
    """A small table. Polars, pandas, DuckDB and pyarrow take it as it is, since it has
    ``__arrow_c_stream__``; none of them is needed.

    >>> table = Table([{"drive": "a", "iops": 1.5}, {"drive": "b"}], units={"iops": "1/s"})
    >>> len(table), table.columns, table["iops"]
    (2, ('drive', 'iops'), [1.5, None])
    """

    def __init__(
        self, rows: Iterable[Mapping[str, Any]], units: Mapping[str, str] | None = None
    ) -> None:
        self.rows: tuple[dict[str, Any], ...] = tuple(dict(row) for row in rows)
        #: The columns, in the order in which rows bring them.
        self.columns: tuple[str, ...] = tuple(dict.fromkeys(key for row in self.rows for key in row))
        #: The unit of each column that has one.
        self.units: dict[str, str] = dict(units or {})

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, column: str) -> list[Any]:
        if column not in self.columns:
            raise KeyError(f"{column!r}; there are {', '.join(self.columns)}")
        return [row.get(column) for row in self.rows]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and (self.rows, self.units) == (other.rows, other.units)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        columns = [
            {"name": name, "unit": self.units.get(name), "values": self[name]}
            for name in self.columns
        ]
        return _native.stream(json.dumps(columns, default=str))

    def to_polars(self) -> polars.DataFrame:
        """As a data frame of Polars, which must be installed."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """As a data frame of pandas, which must be installed."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self.columns})

    def to_arrow(self) -> pyarrow.Table:
        """As a table of pyarrow, which must be installed."""
        import pyarrow

        table: pyarrow.Table = pyarrow.table(self)
        return table

    def to_duckdb(self, connection: duckdb.DuckDBPyConnection | None = None) -> duckdb.DuckDBPyRelation:
        """As a relation of DuckDB, which must be installed with pyarrow."""
        import duckdb

        own = connection if connection is not None else duckdb.connect()
        return own.from_arrow(self.to_arrow())

    def __repr__(self) -> str:
        names = [f"{name} ({self.units[name]})" if name in self.units else name for name in self.columns]
        cells = [names, *([_cell(row.get(name)) for name in self.columns] for row in self.rows[:20])]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)] if names else []
        lines = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in cells]
        more = len(self.rows) - 20
        return "\n".join(lines + ([f"and {more} more"] if more > 0 else []))

    def _repr_html_(self) -> str:
        from html import escape

        def row(tag: str, cells: list[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        head = [f"{name} ({self.units[name]})" if name in self.units else name for name in self.columns]
        body = [row("td", [_cell(one.get(name)) for name in self.columns]) for one in self.rows]
        return "<table>" + row("th", head) + "".join(body) + "</table>"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
