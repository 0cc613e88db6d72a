"""Tables as pyarrow, DuckDB, Polars and pandas read them: several batches, with and without flags."""

import re
import subprocess
from collections import Counter
from pathlib import Path

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet
import pytest

import uriscan
from conftest import ROOT
from tables import need_parquet

# Many batches of links without flags, and some with.
PAGES = {
    "absolute.html": "\n".join(f"<a href='http://{n % 50}.example.com/{n}'>" for n in range(70_000)),
    "broken.txt": "\n".join(f"<URL:{n}/\n{n}.png>" for n in range(5_000)),
}
ROWS = 75_000
HOSTS = {f"{n}.example.com": 1_400 for n in range(50)}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of many links."""
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def programs(section: str) -> list[str]:
    """The programs of a section of README."""
    text = re.split(rf"\n##+ {section}\n", (ROOT / "README.md").read_text())[1]
    return re.findall(r"^```python\n(.*?)^```$", re.split(r"\n##+ ", text)[0], re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("pages", [["absolute.html"], ["absolute.html", "broken.txt"]])
def test_the_programs_of_readme_run_on_several_batches_and_without_flags(
    site: Path, pages: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run = [uriscan.binary(), "--format=arrow", "--output=links.arrow", *pages]
    subprocess.run(run, check=True)
    (program,) = programs("Tables")
    exec(compile(program, "README.md, Tables", "exec"), {})
    assert "70000" in capsys.readouterr().out
    for program in programs("Python"):
        first = program.replace('"corpus/html"', repr(pages)).partition("\nwith ")[0]
        assert "corpus" not in first
        exec(compile(first, "README.md, Python", "exec"), {})
    assert " 1400" in capsys.readouterr().out


def check(links: pa.Table) -> None:
    """Asks each library the same."""
    assert len(links) == ROWS
    groups = links.group_by("host").aggregate([([], "count_all")]).sort_by("host").to_pylist()
    assert {row["host"]: row["count_all"] for row in groups} == {**HOSTS, None: 5_000}
    frame = links.to_pandas()
    assert frame.groupby("host").size().to_dict() == HOSTS
    series = polars.from_arrow(links)
    assert isinstance(series, polars.DataFrame)
    assert series.schema["path"] == polars.String
    assert dict(series.group_by("host").len().iter_rows()) == {**HOSTS, None: 5_000}
    assert len(duckdb.sql("SELECT * FROM links").fetchall()) == ROWS
    assert dict(duckdb.sql("SELECT host, count(*) FROM links GROUP BY host").fetchall()) == {
        **HOSTS,
        None: 5_000,
    }
    named = Counter(flag for flags in links["flags"].to_pylist() for flag in flags)
    found = "SELECT flag, count(*) FROM (SELECT unnest(flags) AS flag FROM links) GROUP BY flag"
    assert dict(duckdb.sql(found).fetchall()) == named
    assert dict(series.explode("flags").drop_nulls("flags").group_by("flags").len().iter_rows()) == named
    assert named


def test_a_stream_is_read_by_all(site: Path) -> None:
    reader = uriscan.scan(list(PAGES), columns="all")
    batches = list(reader)
    assert len(batches) > 10
    assert not any(batches[0]["flags"].to_pylist())
    check(pa.Table.from_batches(batches))


def test_a_file_is_read_by_all(site: Path) -> None:
    need_parquet()
    run = [uriscan.binary(), "--format=parquet", "--columns=all", "-olinks.parquet", *PAGES]
    subprocess.run(run, check=True)
    check(pyarrow.parquet.read_table("links.parquet"))
    count = "SELECT count(*) FROM 'links.parquet' WHERE len(flags) = 0"
    assert duckdb.sql(count).fetchall() == [(70_000,)]


def test_dictionaries_are_read_by_all(site: Path) -> None:
    plain = uriscan.scan(list(PAGES), columns="all").read_all()
    links = uriscan.scan(list(PAGES), columns="all", dictionaries=True).read_all()
    assert pa.types.is_dictionary(links.schema.field("path").type)
    assert links.schema.field("flags").type == plain.schema.field("flags").type
    assert links.to_pylist() == plain.to_pylist()
    # A batch without flags, alone and with others.
    for part in (links.slice(0, 1_000), links):
        rows = duckdb.sql("SELECT * FROM part").fetchall()
        assert len(rows) == len(part)
    series = polars.from_arrow(links)
    assert isinstance(series, polars.DataFrame)
    assert series["host"].cast(polars.String).to_list() == plain["host"].to_pylist()
    assert links.to_pandas()["host"].dropna().tolist() == plain.to_pandas()["host"].dropna().tolist()
