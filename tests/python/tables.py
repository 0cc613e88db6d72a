"""Tables of links in files."""

import functools
import subprocess

import pytest

import uriscan


def write_parquet(file: str, *arguments: str) -> None:
    """Writes a table with all columns, if the command can."""
    need_parquet()
    subprocess.run(
        [uriscan.binary(), "--format=parquet", "--columns=all", f"-o{file}", *arguments], check=True
    )


def need_parquet() -> None:
    """Skips a test if the command cannot write Parquet."""
    if not _has_parquet():
        pytest.skip("the command was built without parquet")


@functools.cache
def _has_parquet() -> bool:
    run = [uriscan.binary(), "--format=parquet", "--exit-zero", "-"]
    return subprocess.run(run, input=b"", capture_output=True, check=False).returncode == 0
