"""Tables of links from a cluster: the rows of one process, whatever dies on the way."""

import gzip
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pyspark
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import crawl
import uriscan
import uriscan.spark
from conftest import Command
from tables import need_parquet
from uriscan.jobs import host_graph, link_table


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Four archives, each with more output than a pipe holds."""
    folder = tmp_path_factory.mktemp("archives")
    return [str(crawl.archive(folder / f"{seed}.warc.gz", 400, seed)) for seed in range(4)]


def rows(table: DataFrame | pa.Table) -> list[str]:
    """The rows of a table in an order of their own, each as often as it is there."""
    listed = table.to_pylist() if isinstance(table, pa.Table) else [row.asDict() for row in table.collect()]
    return sorted(repr({key: _plain(value) for key, value in row.items()}) for row in listed)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return bytes(value) if isinstance(value, bytearray) else value


def paths(cluster: SparkSession, names: list[str], partitions: int) -> DataFrame:
    """A column of paths, in so many partitions."""
    return cluster.createDataFrame([(name,) for name in names], "path string").repartition(partitions)


def test_rows_are_those_of_one_process(cluster: SparkSession, corpus: list[str]) -> None:
    names = [os.path.abspath(name) for name in corpus]
    for columns in ("core", "all"):
        expected = uriscan.scan(names, columns=columns).read_all()
        found = uriscan.spark.links(paths(cluster, names, 5), columns=columns)
        assert [field.name for field in found.schema] == expected.schema.names
        if columns == "core":
            assert rows(found) == rows(expected)
        else:
            assert found.drop("message_date").count() == expected.num_rows
    types = {field.name: field.dataType.simpleString() for field in found.schema}
    assert types["path"] == types["host"] == "string"
    assert types["reference"] == "binary"
    assert types["start"] == "bigint"
    assert types["flags"] == "array<string>"
    assert types["alternatives"] == "array<binary>"
    assert types["message_date"] == "timestamp"


def test_paths_may_be_uris_or_bytes(cluster: SparkSession, tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff a.html"
    with open(name, "wb") as file:
        file.write(b"<a href=x>")
    spaced = tmp_path / "b c%20.html"
    spaced.write_text("<a href=y>")
    table = cluster.createDataFrame([(bytearray(name),)], "path binary")
    assert bytes(uriscan.spark.links(table).collect()[0]["path_bytes"]) == name
    files = cluster.read.format("binaryFile").load(f"file://{tmp_path}/b*")
    assert [row["path"] for row in uriscan.spark.links(files).collect()] == [str(spaced)]
    uris = cluster.createDataFrame([(spaced.as_uri(),)], "path string")
    assert [row["path"] for row in uriscan.spark.links(uris).collect()] == [str(spaced)]


@pytest.mark.parametrize("what", ["kill -9 $PPID", "kill -9 $$", "exit 3"], ids=["worker", "command", "code"])
def test_a_task_that_dies_counts_once(
    cluster: SparkSession, command: Command, archives: list[str], what: str
) -> None:
    expected = rows(uriscan.scan(archives, columns="web").read_all())
    command.fail_once(what)
    try:
        found = rows(uriscan.spark.links(paths(cluster, archives, 4), columns="web"))
    finally:
        command.restore()
    assert command.once.exists(), "nothing has died"
    command.once.rmdir()
    assert found == expected


def test_a_command_that_hangs_is_stopped(
    cluster: SparkSession, command: Command, archives: list[str]
) -> None:
    command.write("exec sleep 1000")
    try:
        with pytest.raises(PySparkException, match="stopped after 1 seconds"):
            uriscan.spark.links(paths(cluster, archives, 1), timeout=1).count()
    finally:
        command.restore()


def test_a_damaged_file(cluster: SparkSession, archives: list[str], tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.warc.gz"
    content = bytearray(Path(archives[0]).read_bytes())
    content[len(content) // 2 : len(content) // 2 + 50] = bytes(50)
    damaged.write_bytes(content)
    names = [*archives[1:], str(damaged), str(tmp_path / "missing")]
    with pytest.raises(uriscan.Error) as caught:
        uriscan.scan(names).read_all()
    expected: list[pa.RecordBatch] = []
    reader = uriscan.scan(names)
    try:
        expected.extend(reader)
    except uriscan.Error:
        pass
    table = uriscan.spark.links(paths(cluster, names, 3), on_error="collect").persist()
    links, errors = uriscan.spark.split(table)
    assert rows(links) == rows(pa.Table.from_batches(expected))
    told = {(row["type"], row["path"], row["code"], row["message"]) for row in errors.collect()}
    records = caught.value.records
    assert told == {(one["type"], one["path"], one.get("code"), one["message"]) for one in records}
    assert {path for _, path, _, _ in told} == {str(damaged), str(tmp_path / "missing")}
    with pytest.raises(PySparkException, match="damaged"):
        uriscan.spark.links(paths(cluster, names[:-1], 3)).count()


def test_parts_of_archives(cluster: SparkSession, archives: list[str]) -> None:
    starts = [(name, at) for name in archives[:2] for at in crawl.records(Path(name))]
    index = cluster.createDataFrame(starts, "path string, offset bigint")
    parts = uriscan.spark.ranges(index, 40_000, complete=True).persist()
    assert parts.count() > 4
    found = uriscan.spark.links_from_ranges(parts, columns="web").drop("message_offset")
    expected = uriscan.scan(archives[:2], columns="web").read_all()
    assert rows(found) == rows(expected.drop_columns("message_offset"))
    # An index that leaves records out leads to all of them.
    some = index.where("offset % 3 = 0")
    found = uriscan.spark.links_from_ranges(uriscan.spark.ranges(some, 40_000), columns="web")
    assert rows(found.drop("message_offset", "member")) == rows(
        expected.drop_columns(["message_offset", "member"])
    )
    short = parts.selectExpr("path", "offset + 1000000 AS offset", "10L AS length")
    with pytest.raises(PySparkException, match="too early"):
        uriscan.spark.links_from_ranges(short).count()


def test_anchor_text_and_other_columns_of_an_option_have_their_own_values(
    cluster: SparkSession, tmp_path: Path
) -> None:
    page = b'<html><base href=http://example.com/><a href=a rel="next nofollow" title=t hreflang=de>text</a>'
    (tmp_path / "a.html").write_bytes(page)
    for columns in ("core", "all"):
        expected = uriscan.scan(tmp_path / "a.html", columns=columns, anchor_text=True).read_all()
        [wanted] = expected.to_pylist()
        assert (wanted["text"], wanted["title"], wanted["hreflang"]) == ("text", "t", "de")
        names = paths(cluster, [str(tmp_path / "a.html")], 1)
        content = cluster.createDataFrame(
            [(bytearray(page), "http://example.com/")], "content binary, uri string"
        )
        tables = [
            uriscan.spark.links(names, columns=columns, anchor_text=True),
            uriscan.spark.links_from_content(content, "content", "uri", columns=columns, anchor_text=True),
        ]
        for table in tables:
            assert [field.name for field in table.schema] == expected.schema.names
            [found] = table.collect()
            for name in ("reference", "target", "context", "flags", "text", "rel", "title", "hreflang"):
                assert _plain(found[name]) == wanted[name], (columns, name)
    with pytest.raises(uriscan.Error, match="--shceme"):
        uriscan.spark.links(names, shceme="ftp")


def test_compressed_files_below_a_directory_are_read(cluster: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("<http://example.com/a>")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"<http://example.com/b>"))
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("c.txt", "<http://example.com/c>")
    table = paths(cluster, [str(tmp_path)], 1)

    def targets(**options: bool) -> list[str]:
        found = uriscan.spark.links(table, **options).collect()
        return sorted(row["target"].removeprefix("http://example.com/") for row in found)

    assert targets() == targets(decompress=True) == ["a", "b", "c"]
    assert targets(decompress=False) == ["a"]
    names = [os.path.basename(name).decode() for _, name in link_table.files([str(tmp_path)])]
    assert sorted(names) == ["a.txt", "b.txt.gz", "c.zip"]
    assert link_table.argument_parser().parse_args(["--output=x", "y"]).decompress
    packed = gzip.compress(b"<http://example.com/d>")
    content = cluster.createDataFrame(
        [(bytearray(packed), "http://example.com/d.gz")], "content binary, uri string"
    )
    [row] = uriscan.spark.links_from_content(content, "content", "uri").collect()
    assert row["target"] == "http://example.com/d"


def test_a_named_archive_that_is_not_read_fails_or_is_collected(
    cluster: SparkSession, tmp_path: Path
) -> None:
    archive, text = tmp_path / "c.7z", tmp_path / "a.txt"
    archive.write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(26))
    text.write_text("<http://example.com/a>")
    table = paths(cluster, [str(archive), str(text)], 1)
    with pytest.raises(PySparkException, match="it is an archive of files"):
        uriscan.spark.links(table).count()
    links, errors = uriscan.spark.split(uriscan.spark.links(table, on_error="collect").persist())
    assert [row["target"] for row in links.collect()] == ["http://example.com/a"]
    assert [(row["type"], row["path"]) for row in errors.collect()] == [("skipped", str(archive))]
    with pytest.raises(uriscan.Error, match="it is an archive of files"):
        list(link_table.files([str(archive)]))


def test_damage_in_a_part_of_an_archive_is_passed_on(
    cluster: SparkSession, archives: list[str], tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.warc.gz"
    content = bytearray(Path(archives[0]).read_bytes())
    content[len(content) // 2 : len(content) // 2 + 50] = bytes(50)
    damaged.write_bytes(content)
    parts = cluster.createDataFrame([(str(damaged), 0, None)], "path string, offset bigint, length bigint")
    with pytest.raises(PySparkException, match="damaged"):
        uriscan.spark.links_from_ranges(parts).count()
    table = uriscan.spark.links_from_ranges(parts, on_error="collect").persist()
    links, errors = uriscan.spark.split(table)
    assert {row["path"] for row in errors.collect()} == {str(damaged)}
    assert links.count() > 0


def test_content_of_rows(cluster: SparkSession, corpus: list[str]) -> None:
    names = [name for name in corpus if name.startswith("corpus/html/")]
    content: list[tuple[bytearray, str | None, str]] = [
        (bytearray(Path(name).read_bytes()), f"http://example.com/{name}", "text/html") for name in names
    ]
    mail = b"Subject: x\r\nContent-Type: text/html\r\n\r\n<a href='http://example.org/m'>"
    content += [
        (bytearray(mail), "http://example.com/mail", "message/rfc822"),
        (bytearray(b"<a href=a>"), "http://example.com/\r\nX: \u00fc", "text/html\r\n\r\n"),
        (bytearray(b"<a href=http://example.com/b>"), None, "text/html"),
    ]
    table = cluster.createDataFrame(content, "content binary, uri string, type string").repartition(3)
    found = uriscan.spark.links_from_content(table, "content", "uri", "type", columns="web")
    by_path: dict[str, list[Any]] = {}
    for row in found.collect():
        by_path.setdefault(row["path"], []).append(row)
    for name in names:
        path = f"http://example.com/{name}"
        whole = uriscan.scan(Path(name).read_bytes(), format="html", base=path).read_all()
        got = sorted(
            (row["start"], row["target"], row["member"], row["loc"]) for row in by_path.pop(path, [])
        )
        expected = zip(whole["start"].to_pylist(), whole["target"].to_pylist(), strict=True)
        assert got == sorted((start, target, None, None) for start, target in expected), name
    [row] = by_path.pop("http://example.com/mail")
    assert (row["member"], row["target"]) == ("1/1", "http://example.org/m")
    [row] = by_path.pop("http://example.com/\r\nX: \u00fc")
    assert row["target"] == "http://example.com/a"
    [row] = by_path.pop("")
    assert row["target"] == "http://example.com/b"
    assert not by_path


def test_content_has_the_format_that_is_given(cluster: SparkSession) -> None:
    content = [
        (bytearray(b"[a](b.md) <nothing>"), "http://example.com/a", None),
        (bytearray(b"<p href=x><a href=c>[a](d)</a>"), "http://example.com/b", "text/html"),
    ]
    table = cluster.createDataFrame(content, "content binary, uri string, type string").coalesce(1)
    for name in ("markdown", "md"):
        found = uriscan.spark.links_from_content(
            table, "content", "uri", "type", format=name, columns=["path", "target"]
        )
        assert [tuple(row) for row in found.collect()] == [
            ("http://example.com/a", "http://example.com/b.md"),
            ("http://example.com/b", "http://example.com/c"),
        ]
    paths_of_text = paths(cluster, [os.path.abspath("corpus/html/base-none.html")], 1)
    contexts = {row["context"] for row in uriscan.spark.links(paths_of_text, format="text").collect()}
    assert contexts and "attribute" not in contexts
    untyped = uriscan.spark.links_from_content(table, "content", "uri", format="text", html_text=True)
    assert untyped.count() == 0
    with pytest.raises(uriscan.Error, match="nonsense"):
        uriscan.spark.links_from_content(table, "content", "uri", format="nonsense")


def test_content_that_is_not_there(cluster: SparkSession) -> None:
    content = [(None, "http://example.com/none"), (bytearray(b"<html><a href=b>"), "http://example.com/a")]
    table = cluster.createDataFrame(content, "content binary, uri string").coalesce(1)
    found = uriscan.spark.links_from_content(table, "content", "uri", on_error="collect").persist()
    links, errors = uriscan.spark.split(found)
    assert [row["target"] for row in links.collect()] == ["http://example.com/b"]
    assert [(row["path"], row["message"]) for row in errors.collect()] == [
        ("http://example.com/none", "it has no content")
    ]
    with pytest.raises(PySparkException, match="it has no content"):
        uriscan.spark.links_from_content(table, "content", "uri").count()


def listed(folder: Path) -> list[str]:
    """The names in a directory."""
    return sorted(os.listdir(folder))


def test_a_table_has_the_rows_and_types_that_spark_writes(
    cluster: SparkSession, corpus: list[str], tmp_path: Path
) -> None:
    need_parquet()
    names = paths(cluster, [os.path.abspath(name) for name in corpus], 5)
    for columns in ("core", "all"):
        by_spark, table = tmp_path / f"rows-{columns}", tmp_path / f"table of {columns}"
        rows_of_links = uriscan.spark.links(names, columns=columns)
        rows_of_links.write.parquet(str(by_spark))
        errors, totals = uriscan.spark.write_parquet(names, str(table), columns=columns)
        assert (errors.count(), totals["files"]) == (0, len(corpus))
        assert listed(table) == ["_SUCCESS", *(f"part-{number:05}.parquet" for number in range(5))]
        expected, found = cluster.read.parquet(str(by_spark)), cluster.read.parquet(str(table))
        assert found.schema == expected.schema == rows_of_links.schema
        assert rows(found) == rows(expected)
        dataset = pa.dataset.dataset(table).to_table()
        assert dataset.schema.equals(uriscan.scan(b"", columns=columns).schema)
        assert dataset.num_rows == expected.count()
        described, of_spark = (
            dict(
                duckdb.sql(f"SELECT column_name, column_type FROM (DESCRIBE '{folder}/*.parquet')").fetchall()
            )
            for folder in (table, by_spark)
        )
        for name in {"message_date", "warc_date"} & described.keys():
            # Spark writes the type of before Parquet had time zones (INT96).
            assert described.pop(name) == "TIMESTAMP WITH TIME ZONE"
            assert of_spark.pop(name) == "TIMESTAMP"
        assert described == of_spark
        assert duckdb.sql(f"FROM '{table}/*.parquet'").shape == dataset.shape


@pytest.mark.parametrize(
    "what", ["kill -9 $PPID", "kill -9 $$", "exit 3", None], ids=["worker", "command", "code", "midway"]
)
def test_a_file_of_a_table_counts_once(
    cluster: SparkSession, command: Command, archives: list[str], tmp_path: Path, what: str | None
) -> None:
    need_parquet()
    expected = rows(uriscan.scan(archives, columns="web").read_all())
    if what is None:
        command.die_midway_once()
    else:
        command.fail_once(what)
    table = tmp_path / "links"
    try:
        uriscan.spark.write_parquet(paths(cluster, archives, 4), table.as_uri(), columns="web")
    finally:
        command.restore()
    assert command.once.exists(), "nothing has died"
    command.once.rmdir()
    assert rows(cluster.read.parquet(str(table))) == expected
    success, *files = listed(table)
    assert success == "_SUCCESS"
    assert files == [f"part-{number:05}.parquet" for number in range(len(files))]


def test_a_table_that_takes_too_long(
    cluster: SparkSession, command: Command, archives: list[str], tmp_path: Path
) -> None:
    need_parquet()
    command.write("exec sleep 1000")
    try:
        with pytest.raises(PySparkException, match="stopped after 1 seconds"):
            uriscan.spark.write_parquet(paths(cluster, archives, 1), str(tmp_path / "links"), timeout=1)
    finally:
        command.restore()
    assert listed(tmp_path) == []


def test_a_table_of_a_damaged_file(cluster: SparkSession, archives: list[str], tmp_path: Path) -> None:
    need_parquet()
    damaged, missing = tmp_path / "damaged.warc.gz", tmp_path / "missing"
    content = bytearray(Path(archives[0]).read_bytes())
    content[len(content) // 2 : len(content) // 2 + 50] = bytes(50)
    damaged.write_bytes(content)
    names = paths(cluster, [*archives[1:], str(damaged), str(missing)], 3)
    expected = uriscan.spark.split(uriscan.spark.links(names, on_error="collect").persist())
    table = str(tmp_path / "links")
    errors, _ = uriscan.spark.write_parquet(names, table, on_error="collect")
    assert rows(cluster.read.parquet(table)) == rows(expected[0])
    assert rows(errors) == rows(expected[1])
    assert errors.schema == expected[1].schema
    assert {row["path"] for row in errors.collect()} == {str(damaged), str(missing)}
    for name in (damaged, missing):
        only, table = paths(cluster, [str(name)], 1), str(tmp_path / f"of-{name.name}")
        assert uriscan.spark.write_parquet(only, table, on_error="collect")[0].count() > 0
        assert (cluster.read.parquet(table).count() > 0) == (name == damaged)
        with pytest.raises(PySparkException, match=name.stem):
            uriscan.spark.write_parquet(only, str(tmp_path / "failed"))
    assert listed(tmp_path) == ["damaged.warc.gz", "links", "of-damaged.warc.gz", "of-missing"]


def test_a_table_without_rows(cluster: SparkSession, tmp_path: Path) -> None:
    need_parquet()
    page = tmp_path / "page.html"
    page.write_text("no links")
    for number, names in enumerate(([], [str(page)], [str(page), str(page)])):
        table = tmp_path / f"links-{number}"
        uriscan.spark.write_parquet(paths(cluster, names, 4), str(table))
        assert cluster.read.parquet(str(table)).schema == uriscan.spark.links(paths(cluster, [], 1)).schema
        assert pa.dataset.dataset(table).count_rows() == 0
        assert (table / "_SUCCESS").exists()


def test_a_directory_that_exists_is_refused(
    cluster: SparkSession, archives: list[str], tmp_path: Path
) -> None:
    names = paths(cluster, [str(tmp_path / "missing")], 1)
    with pytest.raises(FileExistsError, match="exists already"):
        uriscan.spark.write_parquet(names, str(tmp_path))
    new = str(tmp_path / "links")
    collect = ["--on-error=collect", "--errors", str(tmp_path), "--output", new, *archives]
    with pytest.raises(FileExistsError, match="exists already"):
        link_table.main(collect)
    assert listed(tmp_path) == []
    with pytest.raises(uriscan.Error, match="nonsense"):
        uriscan.spark.write_parquet(names, new, columns="nonsense")
    assert listed(tmp_path) == []


def test_a_table_in_another_file_system(cluster: SparkSession, archives: list[str], tmp_path: Path) -> None:
    # A view of a directory, which Spark alone knows by this name.
    settings = cluster.sparkContext._jsc.hadoopConfiguration()
    settings.set("fs.viewfs.mounttable.tables.link./new", tmp_path.as_uri())
    errors, totals = uriscan.spark.write_parquet(paths(cluster, archives, 2), "viewfs://tables/new/links")
    assert (errors.count(), totals["files"]) == (0, len(archives))
    assert (tmp_path / "links" / "_SUCCESS").exists()
    assert rows(cluster.read.parquet(str(tmp_path / "links"))) == rows(uriscan.scan(archives).read_all())
    with pytest.raises(FileExistsError, match="viewfs://tables/new/links exists already"):
        uriscan.spark.write_parquet(paths(cluster, archives, 2), "viewfs://tables/new/links")


def test_a_command_without_parquet(
    cluster: SparkSession,
    archives: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    expected = uriscan.scan(archives).read_all()
    without = Command(tmp_path)
    real = uriscan.binary()
    without.write(f'[[ "$*" != *parquet* ]] || {{ echo no parquet >&2; exit 2; }}; exec "{real}" "$@"')
    monkeypatch.setenv("URISCAN_BINARY", str(without.path))
    names = [*archives, str(tmp_path / "missing")]
    for number, on_error in enumerate(("fail", "collect")):
        table = str(tmp_path / on_error)
        some = paths(cluster, names[: len(archives) + number], 2)
        errors, _ = uriscan.spark.write_parquet(some, table, on_error=on_error)  # type: ignore[arg-type]
        assert rows(cluster.read.parquet(table)) == rows(expected)
        assert errors.count() == number
    assert "no parquet" in caplog.text


def test_the_job_reads_paths_that_are_not_utf8(cluster: SparkSession, tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/pages/\xff a.html"
    os.mkdir(os.path.dirname(name))
    with open(name, "wb") as file:
        file.write(b"<a href=x>")
    table, errors = tmp_path / "links", tmp_path / "errors"
    collect = ["--on-error=collect", "--errors", str(errors)]
    assert link_table.main([*collect, "--output", str(table), str(tmp_path / "pages")]) == 0
    [row] = cluster.read.parquet(str(table)).collect()
    assert bytes(row["path_bytes"]) == name
    assert cluster.read.parquet(str(errors)).count() == 0


def test_jobs(cluster: SparkSession, archives: list[str], tmp_path: Path) -> None:
    table, graph = str(tmp_path / "links"), str(tmp_path / "graph")
    link_table.main(["--columns", "all", "--output", table, "--task-bytes", "50000", *archives])
    expected = uriscan.scan(archives, columns="all").read_all()
    assert rows(pa.parquet.read_table(table).drop_columns("message_date")) == rows(
        pa.Table.from_pylist(expected.drop_columns("message_date").to_pylist())
    )
    for keep in (False, True):
        output = f"{graph}-{keep}"
        host_graph.main([*(["--keep-www"] if keep else []), "--output", output, table])
        vertices = _lines(f"{output}/vertices")
        edges = _lines(f"{output}/edges")
        assert [int(number) for number, _ in vertices] == list(range(len(vertices)))
        assert [name for _, name in vertices] == sorted(name for _, name in vertices)
        names = dict(vertices)
        assert sorted((names[source], names[target]) for source, target in edges) == _edges(expected, keep)
        numbers = [(int(source), int(target)) for source, target in edges]
        assert numbers == sorted(set(numbers))
        assert ("example.h3.www" in names.values()) == keep
        assert not any(name.startswith("1.2.0") for name in names.values())


def test_jobs_run_with_spark_submit(archives: list[str], tmp_path: Path) -> None:
    submit = [str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), "--master=local[2]"]
    settings = ["spark.ui.enabled=false", "spark.sql.shuffle.partitions=2"]
    submit += [part for setting in settings for part in ("--conf", setting)]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    table, graph = str(tmp_path / "links"), str(tmp_path / "graph")
    for job, arguments in (
        (link_table, ["--columns=all", "--output", table, *archives]),
        (host_graph, ["--output", graph, table]),
    ):
        run = [*submit, str(job.__file__), *arguments]
        subprocess.run(run, check=True, stderr=subprocess.DEVNULL, env=environment)
    expected = uriscan.scan(archives, columns="all").read_all()
    assert pa.parquet.read_table(table).num_rows == expected.num_rows
    names = dict(_lines(f"{graph}/vertices"))
    edges = _lines(f"{graph}/edges")
    assert sorted((names[source], names[target]) for source, target in edges) == _edges(expected, False)


def _lines(folder: str) -> list[list[str]]:
    """The lines of the files of a folder, in the order of their names."""
    files = sorted(Path(folder).glob("part-*"))
    return [line.split("\t") for file in files for line in file.read_text().splitlines()]


def _edges(table: pa.Table, keep_www: bool) -> list[tuple[str, str]]:
    """The edges of the graph as DuckDB finds them."""
    www = "" if keep_www else "www."
    return duckdb.execute(f"""
        WITH pair AS (
            SELECT regexp_replace(regexp_extract(target_uri, '^http://([^/]*)', 1), '^{www}', '') AS source,
                   regexp_replace(host, '^{www}', '') AS target
            FROM "table"
        )
        SELECT DISTINCT array_to_string(list_reverse(string_split(source, '.')), '.') AS source_name,
                        array_to_string(list_reverse(string_split(target, '.')), '.') AS target_name
        FROM pair
        WHERE source <> target AND source LIKE '%.example' AND target LIKE '%.example'
        ORDER BY ALL
    """).fetchall()
