"""Compares a cluster of one machine with the command: the same archives, two cores each.

    python benches/spark.py ARCHIVE [BYTES]

Copies of an archive, 2 GB together, are read by `uriscan -j2` and by Spark on local[2] after a first job has
started its workers, in two ways: `links`, whose rows cross to Spark and are thrown away, beside Arrow that is
thrown away; and `write_parquet` beside one file of Parquet.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

import uriscan.spark


def main() -> None:
    """Prints the seconds of both, and their ratio, for rows and for tables."""
    archive = Path(sys.argv[1])
    size = int(sys.argv[2]) if sys.argv[2:] else 2_000_000_000
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        copies = [f"{folder}/{number}.warc.gz" for number in range(max(2, size // archive.stat().st_size))]
        for copy in copies:
            shutil.copy(archive, copy)
        paths = spark.createDataFrame([(copy,) for copy in copies], "path string")
        uriscan.spark.links(paths.limit(2).repartition(2)).count()
        paths = paths.repartition(len(copies))

        def rows() -> None:
            # All columns of all rows cross to Spark, which throws them away.
            uriscan.spark.links(paths).write.format("noop").mode("overwrite").save()

        def table() -> None:
            uriscan.spark.write_parquet(paths, f"{folder}/table")

        for turn in range(3):
            for name, output, job in (
                ("rows", ["--format=arrow", "-o/dev/null"], rows),
                ("table", ["--format=parquet", f"-o{folder}/table.parquet"], table),
            ):
                command = [uriscan.binary(), "-j2", *output, *copies]
                one = seconds(lambda command=command: subprocess.run(command, check=True))
                cluster = seconds(job)
                megabytes = len(copies) * archive.stat().st_size / 1e6
                load = os.getloadavg()[0]
                taken = f"command {one:.1f} s, Spark {cluster:.1f} s, {cluster / one:.2f} x"
                print(f"{turn}: {name}, {megabytes:.0f} MB, {taken}, load {load:.1f}", flush=True)
            shutil.rmtree(f"{folder}/table")


def seconds(job: Callable[[], object]) -> float:
    """Runs a job, and returns how long it took."""
    start = time.monotonic()
    job()
    return time.monotonic() - start


if __name__ == "__main__":
    main()
