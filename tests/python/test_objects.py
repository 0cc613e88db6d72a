"""Objects of a store, read by Spark through fsspec while they arrive."""

import gzip
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import fsspec
import pyarrow as pa
import pytest
from moto.server import ThreadedMotoServer
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import crawl
import uriscan
import uriscan.spark
from conftest import Command
from test_spark import rows
from uriscan.jobs import link_table


class Server:
    """A server that answers as S3 does; what it stores outlives it."""

    def __init__(self, address: str):
        self.address = address
        self.start()

    def start(self) -> None:
        """Listens at the address."""
        port = int(self.address.rpartition(":")[2])
        self.running = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
        self.running.start()

    def stop(self) -> None:
        """Ends."""
        self.running.stop()


@pytest.fixture(scope="module")
def server(store: dict[str, str]) -> Iterator[Server]:
    """A server that the driver knows too."""
    server = Server(store["FSSPEC_S3_ENDPOINT_URL"])
    with pytest.MonkeyPatch.context() as environment:
        for name, value in store.items():
            environment.setenv(name, value)
        fsspec.config.set_conf_env(fsspec.config.conf)
        yield server
    fsspec.config.conf.clear()
    server.stop()


@pytest.fixture
def bucket(server: Server) -> Iterator[Any]:
    """An empty bucket."""
    bucket = boto3.resource("s3", endpoint_url=server.address).create_bucket(Bucket="crawl")
    yield bucket
    bucket.objects.delete()


def put(bucket: Any, name: str, content: bytes) -> None:
    """Writes an object."""
    bucket.put_object(Key=name, Body=content)


def put_archives(
    bucket: Any, folder: Path, pages: int, prefix: str = ""
) -> tuple[list[tuple[str]], pa.Table]:
    """Writes three archives as objects; returns their names after a prefix, and rows with these names."""
    archives = [crawl.archive(folder / f"{seed}.warc.gz", pages, seed) for seed in range(3)]
    for path in archives:
        put(bucket, f"warc/{path.name}", path.read_bytes())
    expected = uriscan.scan(archives, columns="web").read_all()
    names = [f"{prefix}warc/{Path(path).name}" for path in expected["path"].to_pylist()]
    names_of_objects = [(f"{prefix}warc/{path.name}",) for path in archives]
    return names_of_objects, expected.set_column(0, "path", [names])


def test_rows_of_objects_are_those_of_files(cluster: SparkSession, bucket: Any, tmp_path: Path) -> None:
    names, renamed = put_archives(bucket, tmp_path, 100)
    table = cluster.createDataFrame(names, "path string").repartition(2)
    assert rows(uriscan.spark.links(table, columns="web", opener="s3://crawl/")) == rows(renamed)
    # A function that opens, which executors get as it is.
    by_function = uriscan.spark.links(
        table, columns="web", opener=lambda path: fsspec.open(f"s3://crawl/{path}").open()
    )
    assert rows(by_function) == rows(renamed)
    starts = [
        (f"warc/{seed}.warc.gz", at)
        for seed in range(3)
        for at in crawl.records(tmp_path / f"{seed}.warc.gz")
    ]
    index = cluster.createDataFrame(starts, "path string, offset bigint")
    parts = uriscan.spark.ranges(index, 10_000, complete=True)
    found = uriscan.spark.links_from_ranges(parts, columns="web", opener="s3://crawl/")
    assert rows(found.drop("message_offset")) == rows(renamed.drop_columns("message_offset"))


@pytest.mark.parametrize("what", ["kill -9 $PPID", "kill -9 $$"], ids=["worker", "command"])
def test_objects_are_read_once_by_tasks_that_die(
    cluster: SparkSession, command: Command, bucket: Any, tmp_path: Path, what: str
) -> None:
    names, expected = put_archives(bucket, tmp_path, 100, "s3a://crawl/")
    table = cluster.createDataFrame(names, "path string").repartition(3)
    command.fail_once(what)
    try:
        found = rows(uriscan.spark.links(table, columns="web", opener=""))
    finally:
        command.restore()
    assert command.once.exists(), "nothing has died"
    command.once.rmdir()
    assert found == rows(expected)


def test_objects_of_a_store_that_dies_are_read_once(
    cluster: SparkSession, bucket: Any, server: Server, tmp_path: Path
) -> None:
    names, expected = put_archives(bucket, tmp_path, 1000)
    reads, is_down, failed = (tmp_path / name for name in ("reads", "down", "failed"))

    def wait_for(file: Path) -> None:
        for _ in range(600):
            if file.exists():
                return
            time.sleep(0.1)
        raise TimeoutError(file)

    def opened(name: str) -> Any:
        """An object whose second block is read when the server has died."""
        system = fsspec.filesystem("s3", config_kwargs={"retries": {"max_attempts": 0}})
        file = system.open(f"crawl/{name}", block_size=1 << 14, cache_type="none")
        read = file.read

        def read_on(size: int) -> bytes:
            if reads.exists():
                wait_for(is_down)
            try:
                return read(min(size, 1 << 14))
            except Exception:
                failed.touch()
                raise
            finally:
                reads.touch()

        file.read = read_on
        return file

    def kill() -> None:
        wait_for(reads)
        server.stop()
        is_down.touch()
        wait_for(failed)
        server.start()

    killer = threading.Thread(target=kill)
    killer.start()
    table = cluster.createDataFrame(names, "path string").repartition(3)
    found = rows(uriscan.spark.links(table, columns="web", opener=opened))
    killer.join()
    assert failed.exists(), "nothing has failed"
    assert found == rows(expected)


def test_the_name_of_an_object_tells_its_format_and_its_url_is_the_base(
    cluster: SparkSession, bucket: Any
) -> None:
    put(bucket, "docs/a b.md", b"[b](b.md)")
    put(bucket, "docs/c.md.gz", gzip.compress(b"[d](d.md)"))
    names = cluster.createDataFrame(
        [("s3://crawl/docs/a b.md",), ("s3://crawl/docs/c.md.gz",)], "path string"
    )
    found = {row["path"]: row["target"] for row in uriscan.spark.links(names, opener="").collect()}
    assert found == {
        "s3://crawl/docs/a b.md": "s3://crawl/docs/b.md",
        "s3://crawl/docs/c.md.gz": "s3://crawl/docs/d.md",
    }
    based = uriscan.spark.links(names, opener="", base="http://example.com/", columns=["target"])
    assert {row["target"] for row in based.collect()} == {
        "http://example.com/b.md",
        "http://example.com/d.md",
    }


def test_an_object_that_is_not_there(cluster: SparkSession, bucket: Any) -> None:
    put(bucket, "a.html", b"<a href=http://example.com/>")
    names = cluster.createDataFrame([("a.html",), ("missing.html",)], "path string")
    with pytest.raises(PySparkException, match=r"missing\.html"):
        uriscan.spark.links(names, opener="s3://crawl/").count()
    table = uriscan.spark.links(names, opener="s3://crawl/", on_error="collect").persist()
    links, errors = uriscan.spark.split(table)
    assert [row["target"] for row in links.collect()] == ["http://example.com/"]
    assert [(row["type"], row["path"]) for row in errors.collect()] == [("error", "missing.html")]
    totals = uriscan.spark.totals(table)
    assert (totals["files"], totals["failed_files"], totals["errors"]) == (1, 1, 1)


def test_rows_come_while_an_object_arrives(tmp_path: Path) -> None:
    """What an opener returns is read as far as the process has room, and not into memory."""
    read = 0
    released = threading.Event()

    class Endless:
        def read(self, size: int, /) -> bytes:
            nonlocal read
            if read > 1 << 26:
                released.wait(60)
                return b""
            read += size
            return (b"<http://example.com/>" + b"." * 1002 + b"\n") * (size // 1024)

    reader = uriscan.scan(Endless(), format="text", threads=1)
    first = reader.read_next_batch()
    assert first.num_rows > 0
    assert read < 1 << 26
    released.set()
    reader.close()


def test_the_job_reads_objects(
    cluster: SparkSession, bucket: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(5):
        put(bucket, f"site/{number}.html", f"<a href={number + 1}.html>x</a>".encode())
    put(bucket, "other.html", b"<a href=no>")
    table = tmp_path / "links"
    arguments = [
        "--opener=s3://crawl/",
        "--columns=path,target",
        "--output",
        str(table),
        "site",
        "other.html",
    ]
    assert link_table.main(arguments) == 0
    found = {row["path"]: row["target"] for row in cluster.read.parquet(str(table)).collect()}
    assert found == {
        "other.html": "s3://crawl/no",
        **{f"site/{number}.html": f"s3://crawl/site/{number + 1}.html" for number in range(5)},
    }
    assert '"files": 6' in capsys.readouterr().out
    with pytest.raises(FileNotFoundError, match="nothing at s3://crawl/none"):
        link_table.main(["--opener=s3://crawl/", "--output", str(tmp_path / "new"), "none"])
