"""Tables of links, read back by all that read Arrow."""

import base64
import concurrent.futures
import datetime
import gc
import gzip
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow as pa
import pyarrow.compute
import pyarrow.dataset
import pyarrow.parquet
import pytest

import uriscan
from tables import write_parquet

# The first bytes of an archive that is known by its format and not read.
SEVEN_ZIP = b"7z\xbc\xaf\x27\x1c" + bytes(26)


def records(*arguments: str | Path) -> list[dict[str, Any]]:
    """The links that the command writes as JSON Lines."""
    done = subprocess.run([uriscan.binary(), "--json", *arguments], stdout=subprocess.PIPE, check=False)
    lines = map(json.loads, done.stdout.splitlines())
    return [line for line in lines if line["type"] == "link"]


def cell(record: dict[str, Any], name: str) -> object:
    """What a column of the table has for a record."""
    value = record.get(name)
    if value is not None and name in ("path_bytes", "member_bytes", "target_bytes"):
        return base64.b64decode(value)
    if value is not None and name == "message_date":
        return datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    if name == "reference":
        return record[name].encode()
    if value is not None and name == "alternatives":
        return [one.encode() for one in value]
    return value


def as_in_json(value: object) -> object:
    """A value of the table without the bytes that JSON cannot have."""
    return value.decode("utf-8", "replace").encode() if isinstance(value, bytes) else value


def test_all_columns_are_the_keys_of_json(corpus: list[str]) -> None:
    with uriscan.scan(corpus, columns="all") as reader:
        try:
            table = reader.read_all()
        except uriscan.Error as error:
            pytest.fail(str(error))
    expected = records("--columns=all", "--", *corpus)
    assert table.num_rows == len(expected) > 900
    # A target that is not UTF-8 is percent-encoded; its bytes stand beside it.
    original = table["target_bytes"].to_pylist()
    for name in table.schema.names:
        for found, record, raw in zip(table[name].to_pylist(), expected, original, strict=True):
            seen = raw.decode("utf-8", "replace") if name == "target" and raw else as_in_json(found)
            # These are in base64 in JSON, without a loss.
            seen = found if name.endswith("_bytes") else seen
            assert seen == cell(record, name), (name, record)
    keys = {key for record in expected for key in record} - {"type", "text", "rel", "hreflang", "title"}
    assert keys <= set(table.schema.names)


def test_columns_of_a_set_have_the_values_that_they_have_in_all(corpus: list[str]) -> None:
    whole = uriscan.scan(corpus, columns="all").read_all()
    for columns in ("core", "mail", "web"):
        table = uriscan.scan(corpus, columns=columns).read_all()
        for name in table.schema.names:
            assert table[name].to_pylist() == whole[name].to_pylist(), name


def test_schema() -> None:
    schema = uriscan.scan(b"", columns="all").schema
    assert schema.metadata[b"uriscan.schema"] == b"1"
    for name in ("path", "member", "base", "base_source", "context", "element", "attribute", "error", "host"):
        assert schema.field(name).type == pa.string(), name
    for name in ("line", "column", "start", "end", "member_offset", "member_length"):
        assert schema.field(name).type == pa.int64(), name
    assert schema.field("target").type == pa.string()
    assert schema.field("reference").type == pa.binary()
    assert schema.field("flags").type.value_type == pa.string()
    assert schema.field("alternatives").type.value_type == pa.binary()
    assert schema.field("message_date").type == pa.timestamp("us", "UTC")


def test_a_path_that_is_not_utf_8(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.html"
    with open(name, "wb") as file:
        file.write(b"<a href=x>")
    for paths in (os.fsdecode(name), [Path(os.fsdecode(name))]):
        row = uriscan.scan(paths).read_all().to_pylist()[0]
        assert row["path_bytes"] == name
        assert row["path"].endswith("/\ufffd.html")


def test_bytes_that_are_no_text() -> None:
    page = b"<base href=http://example.com/><a href='a\0b'>x</a><a href='http://example.org/?\xff'>y</a>"
    rows = uriscan.scan(page, format="html", encoding="utf-8").read_all().to_pylist()
    # A NUL in an attribute is U+FFFD to a parser of HTML, and what is not UTF-8 too.
    assert [row["reference"] for row in rows] == ["a\ufffdb".encode(), "http://example.org/?\ufffd".encode()]
    assert [row["target"] for row in rows] == [
        "http://example.com/a%EF%BF%BDb",
        "http://example.org/?%EF%BF%BD",
    ]
    text = b"<http://example.com/\xff>"
    row = uriscan.scan(text, format="text", rules="rfc3986").read_all().to_pylist()[0]
    assert row["reference"] == b"http://example.com/\xff"
    assert row["target"] == "http://example.com/%FF"
    assert row["target_bytes"] == b"http://example.com/\xff"


def test_engines_read_the_same(corpus: list[str], tmp_path: Path) -> None:
    table = uriscan.scan(corpus, columns="all").read_all()
    whole = table
    plain = polars.from_arrow(table)
    assert isinstance(plain, polars.DataFrame)
    file = tmp_path / "links.parquet"
    write_parquet(str(file), "--", *corpus)
    for name in table.schema.names:
        values = table[name].to_pylist()
        assert plain[name].to_list() == values, name
        assert pa.parquet.read_table(file, columns=[name])[name].to_pylist() == values, name
        if name != "message_date":
            column = duckdb.execute(f'SELECT "{name}" FROM whole').fetchall()
            assert [row[0] for row in column] == values, name
            column = duckdb.execute(f"SELECT \"{name}\" FROM '{file}'").fetchall()
            assert [row[0] for row in column] == values, name
    reader = uriscan.scan(corpus)
    assert duckdb.execute("SELECT count(*) FROM reader").fetchall() == [(table.num_rows,)]


def test_what_cannot_be_read_is_told_after_the_last_batch() -> None:
    reader = uriscan.scan(["corpus/html", "no/such/file", "nor/this"])
    rows = 0
    with pytest.raises(uriscan.Error, match=r"no/such/file: No such file.* \(and 1 more\)") as caught:
        for batch in reader:
            rows += len(batch)
    assert rows == uriscan.scan("corpus/html").read_all().num_rows
    assert [record["path"] for record in caught.value.records] == ["no/such/file", "nor/this"]
    assert caught.value.returncode == 2


def test_no_engine_takes_an_unfinished_table_for_a_whole_one(tmp_path: Path) -> None:
    paths = ["corpus/html", "no/such/file"]
    reader = uriscan.scan(paths)
    with pytest.raises(duckdb.Error, match="no/such/file"):
        duckdb.execute("SELECT count(*) FROM reader").fetchall()
    with pytest.raises(uriscan.Error):
        pa.dataset.write_dataset(uriscan.scan(paths), tmp_path / "table", format="parquet")
    with pytest.raises(polars.exceptions.ComputeError, match="no/such/file"):
        polars.DataFrame(uriscan.scan(paths))


def test_damage_of_an_archive_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "cut.warc"
    file.write_bytes(
        b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 99\r\n\r\n<a href=http://example.com/>"
    )
    with pytest.raises(uriscan.Error) as caught:
        uriscan.scan(file).read_all()
    assert [record["code"] for record in caught.value.records] == ["warc.short-record"]


def test_damage_of_a_document_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "cut.pdf").write_bytes(b"%PDF-1.7\n")
    locked = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R /Encrypt 2 0 R >>\n"
    (tmp_path / "locked.pdf").write_bytes(locked)
    reader = uriscan.scan(tmp_path)
    with pytest.raises(uriscan.Error, match=r"cut\.pdf: the catalog") as caught:
        reader.read_all()
    assert [record["code"] for record in caught.value.records] == ["pdf.no-pages", "package.encrypted"]


def test_an_error_without_a_path_is_its_message() -> None:
    with pytest.raises(uriscan.Error, match=r"^https://example\.com/: uriscan reads files"):
        uriscan.scan("https://example.com/").read_all()


def test_options() -> None:
    page = b"<a href=http://example.com/><a href=ftp://example.org/>"
    table = uriscan.scan(page, format="html", scheme=["ftp", "gopher"], html_text=True, exclude=None)
    assert table.read_all()["target"].to_pylist() == ["ftp://example.org/"]
    with pytest.raises(uriscan.Error, match="--shceme"):
        uriscan.scan(page, shceme="ftp")
    with pytest.raises(TypeError, match="count_by"):
        uriscan.scan(page, count_by="host")
    with pytest.raises(TypeError, match="include"):
        uriscan.scan(page, include={"a": 1})
    with pytest.raises(ValueError, match="no paths"):
        uriscan.scan([])


def test_columns_are_a_list_too() -> None:
    page = b"<a href=http://example.com/>"
    for columns in (["host", "target"], "host,target", ("host", "target")):
        with uriscan.scan(page, columns=columns) as reader:
            assert reader.read_all().to_pylist() == [{"host": "example.com", "target": "http://example.com/"}]
    with pytest.raises(uriscan.Error, match="nonsense"):
        uriscan.scan(page, columns=["target", "nonsense"])
    with pytest.raises(ValueError, match="no columns"):
        uriscan.scan(page, columns=[])


def test_documents_are_paths_bytes_or_file_objects(tmp_path: Path) -> None:
    content = b"".join(b"[%d](http://example.com/%d)\n" % (number, number) for number in range(200_000))
    path = tmp_path / "a.md"
    path.write_bytes(content)
    packed = tmp_path / "a.md.gz"
    packed.write_bytes(gzip.compress(content, 1))
    expected = [f"http://example.com/{number}" for number in range(200_000)]
    for source in (str(path), path, [path], content, bytearray(content), memoryview(content)):
        reader = uriscan.scan(source, format="markdown", columns=["target"])
        assert reader.read_all()["target"].to_pylist() == expected
    for opened in (path.open("rb"), gzip.open(packed), packed.open("rb"), io.BytesIO(content)):
        with opened as file:
            found = uriscan.scan(file, format="markdown", columns=["target"]).read_all()
            assert found["target"].to_pylist() == expected
    with path.open() as text, pytest.raises(TypeError, match="binary mode"):
        uriscan.scan(text, format="markdown").read_all()  # type: ignore[arg-type]


def test_a_file_object_that_fails_is_an_error() -> None:
    class Broken(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            raise TimeoutError("the store is gone")

    with pytest.raises(TimeoutError, match="gone"):
        uriscan.scan(Broken()).read_all()


def test_a_file_object_without_bytes_yet_is_an_error() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with open(reading, "rb", buffering=0) as file, open(writing, "wb", buffering=0) as more:
        more.write(b"http://example.com/ ")
        with pytest.raises(BlockingIOError):
            uriscan.scan(file, format="text").read_all()


def test_refused_options_do_not_wait_for_more_of_a_file_object() -> None:
    reading, writing = os.pipe()
    with open(reading, "rb", buffering=0) as file:
        with pytest.raises(uriscan.Error, match="nonsense"):
            uriscan.scan(file, format="nonsense")
        os.close(writing)


def test_html_in_bytes_is_known_by_its_first_tag() -> None:
    for page in (
        b"<a href=http://example.com/>",
        b"\n<p>x<img src=http://example.com/>",
        b"<nav><a href=http://example.com/>",
    ):
        assert uriscan.scan(page).read_all()["context"].to_pylist() == ["attribute"], page


def test_records(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<title>An  &amp;\n A</title><a href=b.html>")
    (tmp_path / "b.html").write_text("nothing")
    (tmp_path / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (tmp_path / "d.txt.gz").write_bytes(gzip.compress(b"<http://example.com/>"))
    reader = uriscan.records(tmp_path, columns=["path", "title", "links", "skipped"])
    rows = {Path(row.pop("path")).name: row for row in reader.read_all().to_pylist()}
    assert {name: row["links"] for name, row in rows.items()} == {
        "a.html": 1,
        "b.html": 0,
        "c.png": 0,
        "d.txt.gz": 1,
    }
    assert [name for name, row in rows.items() if row["skipped"]] == ["c.png"]
    assert [row["title"] for row in rows.values()] == ["An & A", None, None, None]
    assert reader.summary is not None and reader.summary["files"] == 3
    run = [uriscan.binary(), "records", "--json", "corpus/html", "corpus/mbox"]
    lines = map(json.loads, subprocess.run(run, stdout=subprocess.PIPE, check=True).stdout.splitlines())
    expected = [line for line in lines if line["type"] == "record"]
    found = uriscan.records(["corpus/html", "corpus/mbox"]).read_all().to_pylist()
    assert len(found) == len(expected) > 10
    for name in ("path", "member", "offset", "title", "message_id", "links"):
        assert [row[name] for row in found] == [row[name] for row in expected], name
    with pytest.raises(uriscan.Error, match="records have no target"):
        uriscan.records(tmp_path, columns=["target"])


def test_no_name_is_a_flag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("--count", "$(touch made)"):
        Path(name).write_text("<http://example.com/>")
    assert uriscan.scan(["--count", "$(touch made)"]).read_all().num_rows == 2
    assert not Path("made").exists()


def test_compressed_files_below_a_directory_are_warned_of_or_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a.txt").write_text("<http://example.com/a>")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"<http://example.com/b>"))
    (tmp_path / "c.7z").write_bytes(SEVEN_ZIP)
    reader = uriscan.scan(tmp_path)
    assert reader.summary is None
    assert reader.read_all()["target"].to_pylist() == ["http://example.com/a"]
    assert (reader.summary["files"], reader.summary["skipped_compressed"]) == (1, 1)
    (warning,) = [record for record in caplog.records if record.levelname == "WARNING"]
    assert warning.name == "uriscan"
    assert "2 files skipped (1 compressed, 1 archive)" in warning.getMessage()
    assert "decompress=True" in warning.getMessage()
    caplog.clear()
    assert uriscan.scan(tmp_path, decompress=True).read_all().num_rows == 2
    assert [record.getMessage() for record in caplog.records] == ["1 file skipped (1 archive)"]


def test_a_named_archive_of_an_unread_format_raises_after_the_last_batch(tmp_path: Path) -> None:
    archive, text = tmp_path / "c.7z", tmp_path / "a.txt"
    archive.write_bytes(SEVEN_ZIP)
    text.write_text("<http://example.com/a>")
    for options in ({}, {"decompress": True}, {"verbose": True}):
        reader = uriscan.scan([archive, text], **options)
        assert reader.read_next_batch().num_rows == 1
        for _ in range(2):
            # Every read after the end fails, in whatever thread.
            with pytest.raises(uriscan.Error, match=r"c\.7z: skipped, it is an archive of files"):
                reader.read_next_batch()
    with pytest.raises(uriscan.Error):
        uriscan.scan(archive).read_all()
    # Below a directory it is skipped, also if every file is named in messages.
    assert uriscan.scan(tmp_path, verbose=True).read_all().num_rows == 1
    # A named compressed file is read without asking.
    packed = tmp_path / "b.txt.gz"
    packed.write_bytes(gzip.compress(b"<http://example.com/b>"))
    assert uriscan.scan(packed).read_all().num_rows == 1


def test_a_reader_shared_by_threads_loses_and_repeats_no_row() -> None:
    count = 1_500_000
    content = b"".join(b"<http://example.com/%d>\n" % number for number in range(count))
    reader = uriscan.scan(content, format="text", threads=1)
    found: list[int] = []

    def read() -> None:
        for batch in reader:
            found.extend(batch["start"].to_pylist())

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(read) for _ in range(8)]:
            done.result()
    assert len(found) == len(set(found)) == count


def test_an_error_reaches_every_thread_that_shares_a_reader() -> None:
    reader = uriscan.scan(["corpus/html", "no/such/file"])

    def read() -> int:
        return sum(len(batch) for batch in reader)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(read) for _ in range(4)]:
            with pytest.raises(uriscan.Error, match="no/such/file"):
                done.result()


def test_version_is_that_of_the_command() -> None:
    printed = subprocess.run([uriscan.binary(), "--version"], stdout=subprocess.PIPE, check=True)
    assert printed.stdout.decode() == f"uriscan {uriscan.__version__}\n"


def test_lists_of_paths_that_are_longer_than_arguments_may_be(tmp_path: Path) -> None:
    paths = []
    for number in range(3000):
        paths.append(tmp_path / (f"{number:04}" + "x" * 100 + ".txt"))
        paths[-1].write_text(f"<http://example.com/{number}>")
    table = uriscan.scan(paths).read_all()
    assert table["target"].to_pylist() == [f"http://example.com/{number}" for number in range(3000)]


def test_pipes_do_not_wait_for_each_other(tmp_path: Path) -> None:
    # Much in, much out, and many messages, before anything is read.
    line = b"<http://example.com/a> <http://example.org/b>\n"
    reader = uriscan.scan(line * 400_000, format="text")
    time.sleep(0.5)
    assert reader.read_all().num_rows == 800_000
    with pytest.raises(uriscan.Error) as caught:
        uriscan.scan([tmp_path / str(number) for number in range(5000)]).read_all()
    assert len(caught.value.records) == 5000


def children() -> str:
    """The processes of the command that this process has started and not reaped."""
    listed = subprocess.run(
        ["ps", "-o", "comm=", "--ppid", str(os.getpid())], stdout=subprocess.PIPE, check=False
    )
    return "".join(line for line in listed.stdout.decode().splitlines() if "uriscan" in line)


def test_a_reader_that_is_left_ends_the_command() -> None:
    content = b"<http://example.com/a>\n" * 2_000_000
    reader = uriscan.scan(content, format="text")
    reader.read_next_batch()
    assert "uriscan" in children()
    reader.close()
    assert children() == ""
    reader = uriscan.scan(content, format="text")
    del reader
    gc.collect()
    assert children() == ""
    with uriscan.scan(content, format="text"):
        assert "uriscan" in children()
    assert children() == ""


def test_a_command_that_dies_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = uriscan.binary()
    wrapper = tmp_path / "uriscan"
    wrapper.write_text(f'#!/bin/bash\n"{command}" "$@" | head -c 5000\nkill -9 $$\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("URISCAN_BINARY", str(wrapper))
    with pytest.raises(uriscan.Error, match="signal 9") as caught:
        uriscan.scan("corpus/html").read_all()
    assert caught.value.returncode == -9


def test_resolve() -> None:
    references = ["../g", "", "?y", "a\nb", "http://[", "#s"]
    targets = uriscan.resolve("http://a/b/c/d;p?q", references, rules="whatwg")
    assert targets == [
        "http://a/b/g",
        "http://a/b/c/d;p?q",
        "http://a/b/c/d;p?y",
        "http://a/b/c/ab",
        None,
        "http://a/b/c/d;p?q#s",
    ]
    assert uriscan.resolve("http://example.com/", []) == []
    # Longer than an argument may be.
    long = "a\n" * 200_000
    assert uriscan.resolve("http://a/", [long, "b", "c\0"]) == [
        f"http://a/{long}",
        "http://a/b",
        "http://a/c\0",
    ]
    with pytest.raises(ValueError, match="NUL"):
        uriscan.resolve("http://a/", ["a\n\0"])
    with pytest.raises(uriscan.Error, match="no scheme"):
        uriscan.resolve("relative", ["a"])


def test_audit() -> None:
    site = "corpus/audit/sub-path/public"
    findings = uriscan.audit(site, root=f"{site}=https://example.com/docs/")
    rules = [finding["rule"] for finding in findings]
    assert rules == ["outside-root", "outside-root", "broken-file", "broken-file"]
    assert findings.summary is not None
    assert findings.summary["broken"] == 2
    states = [link["state"] for link in uriscan.audit(site, links=True) if link["type"] == "link"]
    assert len(states) == 15
    for contents in (io.BytesIO(b"corpus"), b"corpus"):
        with pytest.raises(TypeError, match="in no tree"):
            uriscan.audit(contents)
    with pytest.raises(uriscan.Error, match="no/such/folder") as caught:
        list(uriscan.audit("no/such/folder"))
    assert caught.value.records[0]["type"] == "error"


def test_module() -> None:
    run = [sys.executable, "-m", "uriscan"]
    done = subprocess.run([*run, "resolve", "--base=http://a/b", "c"], stdout=subprocess.PIPE, check=False)
    assert (done.stdout, done.returncode) == (b"http://a/c\n", 0)
    assert subprocess.run([*run, "no/such/file"], stderr=subprocess.DEVNULL, check=False).returncode == 2


@pytest.mark.slow
def test_two_gigabytes_of_strings(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    with path.open("wb") as file:
        # A reference has at most 64 KiB.
        for number in range(36_000):
            file.write(b"<http://example.com/%d/%s>\n" % (number, b"x" * 60_000))
    table = tmp_path / "links.arrow"
    subprocess.run([uriscan.binary(), "--format=arrow", f"-o{table}", str(path)], check=True)
    for source in (pa.ipc.open_stream(pa.memory_map(str(table))), uriscan.scan(path)):
        size = number = 0
        for batch in source:
            batch.validate(full=True)
            for target in batch["target"]:
                assert target.as_py().startswith(f"http://example.com/{number}/x")
                number += 1
            size += sum(pa.compute.binary_length(batch["target"]).to_pylist())
        assert (number, size > 2**31) == (36_000, True)


def test_audit_reads_no_configuration_that_is_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "uriscan.toml").write_text('allow = ["broken-file"]\n')
    (tmp_path / "a.html").write_text("<a href=gone>x</a>")
    monkeypatch.chdir(tmp_path)
    assert [finding["rule"] for finding in uriscan.audit("a.html")] == ["broken-file"]
    assert list(uriscan.audit("a.html", config="uriscan.toml")) == []


def test_options_that_change_the_output_are_refused_by_either_spelling() -> None:
    for name in ("fix_moved", "fix-moved", "count-by"):
        with pytest.raises(TypeError):
            uriscan.audit("a.html", **{name: True})
    for name in ("count_by", "count-by", "files_with_matches", "type-list"):
        for function in (uriscan.scan, uriscan.records):
            with pytest.raises(TypeError, match=name):
                function("a.html", **{name: True})


def test_findings_that_are_left_end_the_command(tmp_path: Path) -> None:
    for number in range(3000):
        (tmp_path / f"{number}.html").write_text("<a href=gone>x</a>" * 20)
    with uriscan.audit(tmp_path) as findings:
        assert next(findings)["rule"] == "broken-file"
        assert "uriscan" in children()
    assert children() == ""
