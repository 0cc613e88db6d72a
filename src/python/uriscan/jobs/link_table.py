"""Writes the links of files, directories and archives as a table of Parquet.

    spark-submit link_table.py --columns all --output links crawl/*.warc.gz
    python -m uriscan.jobs.link_table --output links site

The driver lists the files and the executors read them, so both see the same paths. With `--opener` paths are
those of objects there, which fsspec lists and opens. Each large file is a task of its own; small ones share
tasks, and each task writes one file of the table. The totals of the run are printed at its end.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence

from pyspark.sql import SparkSession

import uriscan.spark
from uriscan._command import flags, path_arguments
from uriscan._process import Process

# Files are put together until a task has this much to read: seconds of work, so that starting a process
# and running a failed task again cost little.
_TASK_BYTES = 256 * 1024 * 1024

# Small files take time for being opened, not for their bytes.
_TASK_FILES = 2_000


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the job, and returns its exit code."""
    parser = argument_parser()
    arguments = parser.parse_args(argv)
    if (arguments.on_error == "collect") != (arguments.errors is not None):
        parser.error("--on-error collect and --errors go together")
    if arguments.opener is None:
        listed = files(arguments.paths, arguments.decompress)
    else:
        listed = objects(arguments.paths, arguments.opener)
    parts = pack(listed, arguments.task_bytes)
    if not parts:
        print("there are no files to read", file=sys.stderr)
        return 2
    spark = SparkSession.builder.appName("uriscan link table").getOrCreate()
    # One slice a part; the column is binary, for paths that are not UTF-8.
    slices = spark.sparkContext.parallelize(parts, len(parts))
    rows = slices.flatMap(lambda part: [(bytearray(path),) for path in part])
    if arguments.errors is not None:
        uriscan.spark.new_directory(spark, arguments.errors)
    errors, totals = uriscan.spark.write_parquet(
        spark.createDataFrame(rows, "path binary"),
        arguments.output,
        columns=arguments.columns,
        opener=arguments.opener,
        on_error=arguments.on_error,
        timeout=arguments.timeout,
        base=arguments.base,
        root=arguments.root,
        decompress=arguments.decompress,
        anchor_text=arguments.anchor_text,
    )
    if arguments.errors is not None:
        errors.write.mode("errorifexists").parquet(arguments.errors)
    print(json.dumps({"type": "summary", **totals}))
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


def objects(paths: Sequence[str], opener: str) -> Iterator[tuple[int, bytes]]:
    """Yields the objects that paths behind a URL name, or that are below them, each with its size."""
    from fsspec.core import url_to_fs

    for path in paths:
        store, name = url_to_fs(opener + path)
        found = store.find(name, detail=True)
        if not found:
            raise FileNotFoundError(f"there is nothing at {opener}{path}")
        for inside, about in found.items():
            yield about["size"], os.fsencode(path + inside.removeprefix(name))


def pack(
    sized: Iterable[tuple[int, bytes]], task_bytes: int, task_files: int = _TASK_FILES
) -> list[list[bytes]]:
    """Returns files in parts of about `task_bytes` and at most `task_files`, the largest files first.

    >>> pack([(1, b"a"), (9, b"b"), (3, b"c"), (2, b"d")], 5)
    [[b'b'], [b'c'], [b'd', b'a']]
    >>> pack([(0, b"a"), (0, b"b"), (0, b"c")], 5, task_files=2)
    [[b'c', b'b'], [b'a']]
    """
    ordered = sorted(sized, reverse=True)
    size = sum(size for size, _ in ordered)
    # Rounded up.
    count = max(-(-size // task_bytes), -(-len(ordered) // task_files))
    # The part with the least to read takes the next file, until it has as many as it may have.
    parts: list[tuple[int, int, list[bytes]]] = [(0, number, []) for number in range(count)]
    full = []
    for size, name in ordered:
        load, number, names = heapq.heappop(parts)
        names.append(name)
        part = (load + size, number, names)
        if len(names) < task_files:
            heapq.heappush(parts, part)
        else:
            full.append(part)
    return [names for _, _, names in sorted([*full, *parts], key=lambda part: part[1]) if names]


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
    parser.add_argument(
        "--opener", metavar="URL", help="what fsspec puts before each path, such as s3://bucket/"
    )
    parser.add_argument("--base", help="the base of documents that bring none")
    parser.add_argument("--root", action="append", help="DIR=URI: where a directory is served")
    parser.add_argument("--task-bytes", type=int, default=_TASK_BYTES, help="how much a task reads")
    parser.add_argument(
        "--timeout", type=float, default=uriscan.spark.TIMEOUT_SECONDS, help="seconds for a task"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
