"""Writes the links of files, directories and archives as a table of Parquet.

    spark-submit link_table.py --columns all --output links crawl/*.warc.gz
    python -m uriscan.jobs.link_table --output links site

The driver lists the files and the executors read them, so both see the same paths. Each large file is
a task of its own; small ones share tasks, and each task writes one file of the table.
"""

from __future__ import annotations

import argparse
import heapq
import os
import sys
from collections.abc import Iterator, Sequence

from pyspark.sql import SparkSession

import uriscan.spark
from uriscan._command import flags, path_arguments
from uriscan._process import Process

# Files are put together until a task has this much to read: seconds of work, so that starting a process
# and running a failed task again cost little.
_TASK_BYTES = 256 * 1024 * 1024


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the job, and returns its exit code."""
    parser = argument_parser()
    arguments = parser.parse_args(argv)
    if (arguments.on_error == "collect") != (arguments.errors is not None):
        parser.error("--on-error collect and --errors go together")
    parts = pack(files(arguments.paths, arguments.decompress), arguments.task_bytes)
    if not parts:
        print("there are no files to read", file=sys.stderr)
        return 2
    spark = SparkSession.builder.appName("uriscan link table").getOrCreate()
    # One slice a part; the column is binary, for paths that are not UTF-8.
    slices = spark.sparkContext.parallelize(parts, len(parts))
    rows = slices.flatMap(lambda part: [(bytearray(path),) for path in part])
    if arguments.errors is not None:
        uriscan.spark.new_directory(spark, arguments.errors)
    errors = uriscan.spark.write_parquet(
        spark.createDataFrame(rows, "path binary"),
        arguments.output,
        columns=arguments.columns,
        on_error=arguments.on_error,
        timeout=arguments.timeout,
        base=arguments.base,
        root=arguments.root,
        decompress=arguments.decompress,
        anchor_text=arguments.anchor_text,
    )
    if arguments.errors is not None:
        errors.write.mode("errorifexists").parquet(arguments.errors)
    return 0


def files(paths: Sequence[str], decompress: bool = True) -> Iterator[tuple[int, bytes]]:
    """Yields the files that the command would read, each with its size."""
    names, feed = path_arguments(paths)
    given = flags({"decompress": decompress, "stats": True, "messages": "json"})
    process = Process(["--files", "--null", *given, *names], feed=feed)
    listed = process.output.read()
    # Says what is skipped, and fails where a path cannot be read.
    process.finish()
    for name in listed.split(b"\0")[:-1]:
        yield os.path.getsize(name), name


def pack(sized: Iterator[tuple[int, bytes]], task_bytes: int) -> list[list[bytes]]:
    """Returns files in parts of about `task_bytes`, the largest files first.

    >>> pack(iter([(1, b"a"), (9, b"b"), (3, b"c"), (2, b"d")]), 5)
    [[b'b'], [b'c'], [b'd', b'a']]
    """
    ordered = sorted(sized, reverse=True)
    count = -(-sum(size for size, _ in ordered) // task_bytes) if ordered else 0
    parts: list[list[bytes]] = [[] for _ in range(max(count, min(1, len(ordered))))]
    # The part with the least to read takes the next file.
    loads = [(0, number) for number in range(len(parts))]
    for size, name in ordered:
        load, number = loads[0]
        parts[number].append(name)
        heapq.heapreplace(loads, (load + size, number))
    return [part for part in parts if part]


def argument_parser() -> argparse.ArgumentParser:
    """Returns the parser of the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("paths", nargs="+", help="files and directories that all executors can read")
    parser.add_argument("--output", required=True, help="the table, a new directory")
    parser.add_argument("--columns", default="core", help="core, mail, web or all (default: core)")
    parser.add_argument(
        "--anchor-text", action="store_true", help="add the columns text, rel, hreflang, title"
    )
    parser.add_argument(
        "--decompress",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="read compressed files and archives below directories, too (default: yes)",
    )
    parser.add_argument(
        "--on-error",
        choices=["fail", "collect"],
        default="fail",
        help="what a file that cannot be read, or is damaged, does: fail the job, or become rows of --errors",
    )
    parser.add_argument("--errors", help="the table of errors, a new directory")
    parser.add_argument("--base", help="the base of documents that bring none")
    parser.add_argument("--root", action="append", help="DIR=URI: where a directory is served")
    parser.add_argument("--task-bytes", type=int, default=_TASK_BYTES, help="how much a task reads")
    parser.add_argument(
        "--timeout", type=float, default=uriscan.spark.TIMEOUT_SECONDS, help="seconds for a task"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
