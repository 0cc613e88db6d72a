"""Compares a cluster of one machine with the command: the same archives, two cores each.

    python benches/spark.py ARCHIVE [BYTES]

Copies of an archive, 2 GB together, are read by `uriscan -j2` and by Spark on local[2] after a first job has
started its workers; both write all links nowhere.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pyspark.sql import SparkSession

import uriscan.spark


def main() -> None:
    """Prints the seconds of both, and their ratio."""
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
        for turn in range(3):
            start = time.monotonic()
            command = [uriscan.binary(), "-j2", "--format=arrow", "-o/dev/null", *copies]
            subprocess.run(command, check=True)
            one = time.monotonic() - start
            start = time.monotonic()
            # All columns of all rows cross to Spark, which throws them away.
            links = uriscan.spark.links(paths.repartition(len(copies)))
            links.write.format("noop").mode("overwrite").save()
            cluster = time.monotonic() - start
            megabytes = len(copies) * archive.stat().st_size / 1e6
            load = os.getloadavg()[0]
            taken = f"command {one:.1f} s, Spark {cluster:.1f} s, {cluster / one:.2f} x"
            print(f"{turn}: {megabytes:.0f} MB, {taken}, load {load:.1f}", flush=True)


if __name__ == "__main__":
    main()
