"""Damaged archives, as bytes and as files."""

import random
from pathlib import Path
from typing import Any

import pytest

import uriscan

ARCHIVES = Path(__file__).parents[1] / "vectors" / "archives"
NAMES = [
    "warc_gz_offsets.warc.gz",
    "warc_gz_records.warc.gz",
    "warc_zst_dict.warc.zst",
    "tar_ustar_prefix.tar",
    "tar_nested.tar.gz",
]


def found(source: bytes | Path) -> tuple[list[dict[str, Any]], list[tuple[str, int]]]:
    """The links of a document, and the codes of what is wrong with it."""
    reader = uriscan.scan(source, base="http://example.com/", columns="web")
    links: list[dict[str, Any]] = []
    codes: list[tuple[str, int]] = []
    try:
        for batch in reader:
            links += batch.drop_columns(["path"]).to_pylist()
    except uriscan.Error as error:
        codes = sorted((record["code"], record["count"]) for record in error.records if "code" in record)
    return links, codes


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_damaged_bytes_give_what_the_file_gives(name: str, seed: int, tmp_path: Path) -> None:
    numbers = random.Random(f"{name} {seed}")
    damaged = bytearray((ARCHIVES / name).read_bytes())
    for _ in range(3):
        damaged[numbers.randrange(16, len(damaged))] ^= 1 << numbers.randrange(8)
    path = tmp_path / name
    path.write_bytes(damaged)
    assert found(bytes(damaged)) == found(path)
