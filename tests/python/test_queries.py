"""The queries of `corpus/queries`, run by DuckDB on a table of ours."""

import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest

import uriscan
from conftest import ROOT
from tables import write_parquet

SITE = {
    "index.html": '<a href="a.html">a</a> <a href="missing.html#x">m</a> <a href="http://example.org/">o</a>',
    "a.html": '<a href="index.html?q#f">i</a> <a href="http://example.org/1">o</a> <a href="http://example.net/">n</a>',
    "alone.html": '<a href="alone.html">me</a>',
    "note.txt": "nothing",
}

MAIL = """From a@example.com Thu Jan  1 00:00:00 2026
Message-ID: <1@example.com>
Date: {}

<http://example.com/1> <http://example.com/2>

"""


@pytest.fixture(autouse=True)
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the tables that the queries name."""
    monkeypatch.chdir(tmp_path)
    Path("site").mkdir()
    for name, text in SITE.items():
        Path("site", name).write_text(text)
    Path("files.txt").write_bytes(subprocess.check_output([uriscan.binary(), "--files", "site"]))
    write_parquet("links.parquet", "--root=site=https://www.example.com/", "site")


def answer(name: str) -> list[tuple[Any, ...]]:
    """What a query answers."""
    return duckdb.execute((ROOT / "corpus" / "queries" / f"{name}.sql").read_text()).fetchall()


def test_most_linked_hosts() -> None:
    assert answer("most_linked_hosts") == [
        ("www.example.com", 4, 3),
        ("example.org", 2, 2),
        ("example.net", 1, 1),
    ]


def test_broken_targets() -> None:
    assert answer("broken_targets") == [("site/index.html", 1, "https://www.example.com/missing.html#x")]


def test_orphans() -> None:
    assert answer("orphans") == [("site/alone.html",), ("site/note.txt",)]


def test_degrees() -> None:
    home = "https://www.example.com/"
    assert sorted(answer("degrees")) == [
        ("http://example.net/", 0, 1),
        ("http://example.org/", 0, 1),
        ("http://example.org/1", 0, 1),
        (home + "a.html", 3, 1),
        (home + "index.html", 3, 1),
        (home + "missing.html", 0, 1),
    ]


def test_links_by_month() -> None:
    days = (
        "Thu, 01 Jan 2026 00:00:00 +0000",
        "Sat, 31 Jan 2026 23:59:59 +0000",
        "Sun, 01 Feb 2026 12:00:00 +0100",
    )
    texts = [MAIL.format(day).replace("<1@", f"<{number}@") for number, day in enumerate(days)]
    Path("list.mbox").write_text("".join(texts))
    write_parquet("links.parquet", "list.mbox")
    months = [
        (month.strftime("%Y-%m"), links, messages) for month, links, messages in answer("links_by_month")
    ]
    assert months == [("2026-01", 4, 2), ("2026-02", 2, 1)]


def test_each_query_is_tested() -> None:
    names = {path.stem for path in (ROOT / "corpus" / "queries").glob("*.sql")}
    assert names == {name.removeprefix("test_") for name in globals() if name.startswith("test_")} - {
        "each_query_is_tested"
    }
