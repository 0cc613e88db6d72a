"""Every input is read, skipped for a reason, or failed, in all summaries."""

import gzip
import json
import logging
import os
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

import uriscan


def mixed(folder: Path) -> list[str]:
    """Ten inputs: eight in a directory, and two that are named; what they are is in `EXPECTED`."""
    tree = folder / "tree"
    tree.mkdir()
    (tree / "page.html").write_text("<a href=http://example.com/1>")
    (tree / "note.txt").write_text("<http://example.com/2>")
    (tree / "mail.eml").write_text("Subject: x\n\n<http://example.com/3>")
    (tree / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (tree / "note.txt.gz").write_bytes(gzip.compress(b"<http://example.com/4>"))
    with zipfile.ZipFile(tree / "notes.zip", "w") as archive:
        archive.writestr("a.txt", "<http://example.com/5>")
    (tree / "link.html").symlink_to("page.html")
    os.mkfifo(tree / "pipe")
    damaged = folder / "damaged.gz"
    damaged.write_bytes(gzip.compress(b"<http://example.com/6>" * 50)[:-8])
    return [str(tree), str(damaged), str(folder / "missing.html")]


EXPECTED = {
    "files": 4,
    "skipped_files": 5,
    "failed_files": 1,
    "skipped_binary": 1,
    "skipped_compressed": 1,
    "skipped_archive": 1,
    "skipped_symlink": 1,
    "skipped_special": 1,
}
UNPACKED = {**EXPECTED, "files": 6, "skipped_files": 3, "skipped_compressed": 0, "skipped_archive": 0}


def check(summary: dict[str, Any] | None, expected: dict[str, int]) -> None:
    """Compares the counts of files, and adds them up."""
    assert summary is not None
    assert {key: summary.get(key, 0) for key in expected} == expected
    reasons = [
        count for key, count in summary.items() if key.startswith("skipped_") and key != "skipped_files"
    ]
    assert sum(reasons) == expected["skipped_files"]
    assert expected["files"] + expected["skipped_files"] + expected["failed_files"] == 10


@pytest.mark.parametrize("decompress", [False, True])
def test_ten_inputs_of_the_command_and_of_scan(tmp_path: Path, decompress: bool) -> None:
    paths, expected = mixed(tmp_path), UNPACKED if decompress else EXPECTED
    flags = ["--decompress"] if decompress else []
    run = [uriscan.binary(), "--stats=json", *flags, *paths]
    done = subprocess.run(run, capture_output=True, check=False)
    assert done.returncode == 2
    check(json.loads(done.stderr.splitlines()[-1]), expected)
    reader = uriscan.scan(paths, decompress=decompress)
    with pytest.raises(uriscan.Error) as caught:
        list(reader)
    check(reader.summary, expected)
    failed = {record["path"] for record in caught.value.records}
    assert failed == {paths[1], paths[2]}


def test_ten_inputs_have_rows_of_records(tmp_path: Path) -> None:
    paths = mixed(tmp_path)
    reader = uriscan.records(paths)
    rows: list[dict[str, Any]] = []
    with pytest.raises(uriscan.Error):
        for batch in reader:
            rows += batch.to_pylist()
    check(reader.summary, UNPACKED)
    assert len({row["path"] for row in rows}) == 10
    assert len([row for row in rows if row["skipped"]]) == 3
    assert {row["path"] for row in rows if row["error"]} == {paths[2]}


def test_ten_inputs_of_spark(cluster: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    import uriscan.spark

    rows = [(path,) for path in mixed(tmp_path)]
    paths = cluster.createDataFrame(rows, "path string").repartition(3)
    table = uriscan.spark.links(paths, on_error="collect").persist()
    links, errors = uriscan.spark.split(table)
    check(uriscan.spark.totals(table), UNPACKED)
    assert {row["path"] for row in errors.collect()} == {rows[1][0], rows[2][0]}
    errors, totals = uriscan.spark.write_parquet(paths, str(tmp_path / "links"), on_error="collect")
    check(totals, UNPACKED)
    assert totals["references"] == links.count() == cluster.read.parquet(str(tmp_path / "links")).count()
    assert errors.count() == 2
    with caplog.at_level(logging.WARNING, "uriscan"):
        _, totals = uriscan.spark.write_parquet(paths.where("false"), str(tmp_path / "none"))
    assert totals == {}
    assert "there are no paths" in caplog.text
