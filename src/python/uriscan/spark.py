"""Tables of links from Spark: one process of the command for each partition.

The executors need this package with its command, and pyarrow. A task that fails is run again by Spark, and
the rows of a failed run are never counted: a process that ends in any way but a good one fails its task.

    paths = spark.createDataFrame([("a.warc.gz",), ("b.warc.gz",)], "path string").repartition(2)
    uriscan.spark.links(paths, columns="web").groupBy("target").count().show()
    errors, totals = uriscan.spark.write_parquet(paths, "links", columns="web")
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import string
import tempfile
import uuid
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import quote, unquote

import pyarrow
import pyarrow.compute

from uriscan._command import Option, flags
from uriscan._process import Error, Process, Record, describe
from uriscan._reader import LinkReader
from uriscan._scan import NOT_ROWS, Readable, pieces

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

OnError: TypeAlias = Literal["fail", "collect", "count"]

# Opens the object of a path: a function that returns a file object, or the beginning of a URL for fsspec.
Opener: TypeAlias = Callable[[str], Readable] | str

# A process that takes longer for its partition is taken for one that hangs.
TIMEOUT_SECONDS = 6 * 60 * 60.0

# The column with the errors that are collected and the totals of each process, and what it says of one.
_FAILED = "failure"
_FAILURE = pyarrow.struct(
    [
        ("type", pyarrow.string()),
        ("path", pyarrow.string()),
        ("member", pyarrow.string()),
        ("code", pyarrow.string()),
        ("message", pyarrow.string()),
        ("count", pyarrow.int64()),
        ("offset", pyarrow.int64()),
    ]
)

# What a task tells of the file that it has written.
_PART = pyarrow.schema([("file", pyarrow.string()), ("failures", pyarrow.list_(_FAILURE))])

# What stays as it is in the URI of a record: anything printed, of ASCII.
_PRINTED = string.punctuation

# Processes that read several documents or a part of one write this column too: places are made from it.
_MEMBER = "--columns=member"

# The beginning of an absolute URI.
_URL = re.compile("[A-Za-z][A-Za-z0-9+.-]*:")

# Characters at the end of a URL that are the name of its document; file systems allow 255 bytes.
_NAME_LENGTH = 60

# The media type of documents whose format is given, which the command knows.
_FORMAT_TYPE = "application/x-uriscan-"

# Totals of a process that are not numbers of things.
_NOT_COUNTS = ("wall_seconds", "cpu_seconds", "peak_bytes")

_Batches: TypeAlias = Iterable[pyarrow.RecordBatch]

_LOGGER = logging.getLogger("uriscan")


def links(
    df: DataFrame,
    path_col: str = "path",
    *,
    columns: str | Sequence[str] = "core",
    opener: Opener | None = None,
    on_error: OnError = "fail",
    timeout: float = TIMEOUT_SECONDS,
    **options: Option,
) -> DataFrame:
    """Returns the links of the files that a column names, a row for each link.

    The executors read the files: paths are local, or below a mount that all of them have; `file:` URIs, as
    Spark writes them, are understood, and the column may be binary where paths are not UTF-8. Each partition
    is read by one process, so give each large archive a partition of its own; `jobs.link_table` does.

    Objects of a store are read with an `opener`: a function from a path to an open binary file, or the
    beginning of all URLs for fsspec, as "s3://bucket/", an empty one where paths are whole URLs. Each object
    is read by one process while it arrives. Its URL is its base, unless `base` is given.

    `columns`, `format` and the options are those of `uriscan.scan`; unless they are given `threads` is 1, and
    `decompress` is true, so that compressed files and archives below a directory are read. A file that cannot
    be read, or is damaged, fails the job unless `on_error` is "collect". With "collect" and "count" there is
    one more column, `failure`: see `split` and `totals`.
    """
    arguments = _arguments(columns, options)
    schema = _schema(arguments, on_error)

    def run(batches: _Batches) -> _Batches:
        first = _some(batches)
        if first is None:
            return
        if opener is not None:
            for path in _values(first):
                file = _Object(path=os.fsdecode(path), opener=opener)
                yield from file.rows(arguments, on_error, schema, timeout)
            return
        process = Process([*arguments, "--files0-from=-"], feed=_paths(first), timeout=timeout)
        yield from _rows(process, on_error, schema)

    return df.select(path_col).mapInArrow(run, _spark_fields(schema))


def write_parquet(
    df: DataFrame,
    directory: str,
    path_col: str = "path",
    *,
    columns: str | Sequence[str] = "core",
    opener: Opener | None = None,
    on_error: OnError = "fail",
    timeout: float = TIMEOUT_SECONDS,
    **options: Option,
) -> tuple[DataFrame, dict[str, int]]:
    """Writes the links of files to a new directory, and returns the errors and the totals.

    The table is that of `links`, in files `part-00000.parquet` and so on, one for each partition, and a file
    `_SUCCESS` when it is complete. A directory that exists raises `FileExistsError` before anything is read,
    and a job that fails removes the one it made.

    The process that reads the files of a partition writes its Parquet file too, so that no row crosses
    Python and the JVM. For that the directory, a path or a `file:` URI, must be below a mount that the driver
    and all executors have. In other file systems (`hdfs:`, `s3a:`), with an `opener`, and if the driver's
    command was built without Parquet, Spark writes the rows of `links`.

    With `on_error` set to "collect" the table of errors has a row for each, with the columns that `split`
    names; else it is empty. The totals are those of `totals`. The rest is as for `links`.
    """
    session = df.sparkSession
    path = new_directory(session, directory)
    if path is None or opener is not None or not _has_parquet():
        on_error = "count" if on_error == "fail" else on_error
        table = links(
            df, path_col, columns=columns, opener=opener, on_error=on_error, timeout=timeout, **options
        )
        return _write_rows(table, directory)
    os.makedirs(path)
    try:
        # The driver gives files their names: Spark tells it of one attempt at each partition, however many
        # have written a file.
        attempts = os.path.join(path, "_temporary")
        os.mkdir(attempts)
        arguments = _arguments(columns, options, "parquet")
        # The table without rows. Options that the command refuses fail here, before the job starts.
        empty, _ = _write_part(attempts, [*arguments, "--", "-"], [], "fail", timeout)

        def run(batches: _Batches) -> _Batches:
            first = _some(batches)
            if first is None:
                return
            feed = _paths(first)
            file, failures = _write_part(attempts, [*arguments, "--files0-from=-"], feed, on_error, timeout)
            yield pyarrow.RecordBatch.from_pydict({"file": [file], "failures": [failures]}, schema=_PART)

        parts = df.select(path_col).mapInArrow(run, _spark_fields(_PART)).collect()
        for number, file in enumerate([part["file"] for part in parts if part["file"]] or [empty]):
            os.replace(file, os.path.join(path, f"part-{number:05}.parquet"))
        # An attempt that Spark gave up may still be writing there.
        shutil.rmtree(attempts, ignore_errors=True)
        with open(os.path.join(path, "_SUCCESS"), "xb"):
            pass
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise
    failures = [failure for part in parts for failure in part["failures"]]
    errors = [failure for failure in failures if failure["type"] != "summary"]
    return session.createDataFrame(errors, _spark_fields(_FAILURE)), _sums(failures)


def new_directory(session: SparkSession, directory: str) -> str | None:
    """Returns the path of a directory that is to be made, None if it is in no file system of the machine.

    A path without a scheme is in Spark's default file system, as for all that Spark writes.
    """
    context = session.sparkContext
    assert context._jvm is not None
    path = context._jvm.org.apache.hadoop.fs.Path(directory)
    system = path.getFileSystem(context._jsc.hadoopConfiguration())
    if system.exists(path):
        raise FileExistsError(f"{directory} exists already")
    uri = system.makeQualified(path).toUri()
    return uri.getPath() if uri.getScheme() == "file" else None


def links_from_content(
    df: DataFrame,
    content_col: str,
    uri_col: str,
    type_col: str | None = None,
    *,
    columns: str | Sequence[str] = "core",
    on_error: OnError = "fail",
    timeout: float = TIMEOUT_SECONDS,
    **options: Option,
) -> DataFrame:
    """Returns the links of the documents that a binary column holds, a row for each link.

    `uri_col` is the URI that a document was retrieved from, which is its base and becomes `path`; `type_col`
    is its media type, and without one it is that of `format`, or is found as for files. `member` is null but
    for what is in an archive or a message. A document without content is an error.

    Spark hands rows to Python in batches of `spark.sql.execution.arrow.maxRecordsPerBatch`; with large
    documents set it to 100 or so, since a batch is held in memory. The rest is as for `links`.
    """
    # The command fails for a format that it does not know. Records declare theirs.
    schema = _schema(_arguments(columns, options), on_error)
    form = options.pop("format", None)
    arguments = _arguments(columns, options)

    def run(batches: _Batches) -> _Batches:
        first = _some(batches)
        if first is None:
            return
        documents = _Documents(first, f"{_FORMAT_TYPE}{form}" if form else None)
        process = Process([*arguments, _MEMBER, "--", "-"], feed=documents.records(), timeout=timeout)
        yield from _rows(process, on_error, schema, documents.columns, documents.failures)

    selected = [content_col, uri_col, *([type_col] if type_col else [])]
    return df.select(*selected).mapInArrow(run, _spark_fields(schema))


def links_from_ranges(
    df: DataFrame,
    *,
    columns: str | Sequence[str] = "core",
    opener: Opener | None = None,
    on_error: OnError = "fail",
    timeout: float = TIMEOUT_SECONDS,
    **options: Option,
) -> DataFrame:
    """Returns the links of parts of web archives, so that a large archive is many tasks.

    A row has a `path`, the `offset` of a record (of its gzip member or zstd frame) and a `length`, null for
    all that follows, as `ranges` makes them; each is read by one process. `path` and `member_offset` are
    those of the whole archive, and `message_offset`, which counts decompressed bytes, is null. The numbers in
    `member` are those of the archive where the rows have a column `record`, the number of the first record;
    without it they count from the beginning of the part. The rest is as for `links`.
    """
    arguments = _arguments(columns, options)
    schema = _schema(arguments, on_error)

    def run(batches: _Batches) -> _Batches:
        for batch in batches:
            for row in batch.to_pylist():
                part = _Part(opener=opener, **row)
                yield from part.rows([*arguments, _MEMBER], on_error, schema, timeout)

    names = [name for name in ("path", "offset", "length", "record") if name in df.columns]
    return df.select(*names).mapInArrow(run, _spark_fields(schema))


def ranges(index: DataFrame, size: int = 256 * 1024 * 1024, *, complete: bool = False) -> DataFrame:
    """Returns parts of archives of about `size` bytes, for `links_from_ranges`.

    `index` has the columns `path` and `offset`, a row for each record, as a CDX index tells them. The parts
    of an archive have all of its bytes, also those of records that the index leaves out; if it is `complete`,
    they have the number of their first record.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812 - the name that Spark's own pages give it

    in_order = Window.partitionBy("path").orderBy("offset")
    parts = (
        index.withColumn("record", F.row_number().over(in_order).cast("bigint"))
        .groupBy("path", F.floor(F.col("offset") / size).alias("part"))
        .agg(F.min("offset").alias("offset"), F.min("record").alias("record"))
        .withColumn("offset", F.when(F.col("record") == 1, 0).otherwise(F.col("offset")))
        .withColumn("length", F.lead("offset").over(in_order) - F.col("offset"))
    )
    parts = parts.drop("part") if complete else parts.drop("part", "record")
    return parts.repartition("path", "offset")


def split(table: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Returns the links and the errors of a table that was made with `on_error="collect"`.

    Errors have the columns `type`, `path`, `member`, `code`, `message`, `count` and `offset`. Both come from
    one table: persist it before, or Spark reads all documents twice.
    """
    failed: Column = table["failure"].isNotNull()
    errors = table.where(failed).select("failure.*").where("type <> 'summary'")
    return table.where(~failed).drop("failure"), errors


def totals(table: DataFrame) -> dict[str, int]:
    """Returns the sums of the summaries of all processes, of a table with the column `failure`.

    Paths that were read are `files`; those that were skipped have a key for each reason, with their sum in
    `skipped_files`; those that could not be opened are `failed_files`. Zeros are left out.
    """
    from pyspark.sql import functions as F  # noqa: N812 - the name that Spark's own pages give it

    noted = table.where("failure.type = 'summary'").select("failure.*")
    sums = noted.groupBy("type", "code").agg(F.sum("count").alias("count"))
    return _sums(row.asDict() for row in sums.collect())


def _sums(failures: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Returns the sums of the totals among rows of `failure`, and warns if there are none."""
    sums: Counter[str] = Counter()
    for row in failures:
        if row["type"] == "summary":
            sums[row["code"]] += row["count"]
    if not sums:
        _LOGGER.warning("nothing was read: there are no paths")
    return dict(sums)


def _counts(summary: Record | None) -> list[Record]:
    """Returns the totals of a process as rows of `failure`."""
    counts = [(key, count) for key, count in (summary or {}).items() if key not in _NOT_COUNTS]
    return [
        {"type": "summary", "code": key, "count": count}
        for key, count in counts
        if isinstance(count, int) and count
    ]


def _arguments(columns: str | Sequence[str], options: Mapping[str, Option], form: str = "arrow") -> list[str]:
    """Returns the arguments of a process for rows of links, without its input."""
    given: dict[str, Option] = {"columns": columns, "threads": 1, "decompress": True, **options}
    given["type"] = given.pop("format", None)
    return [f"--format={form}", "--messages=json", "--stats", *flags(given, NOT_ROWS)]


def _has_parquet() -> bool:
    """Says whether the driver's command can write Parquet, and warns if it cannot."""
    try:
        Process(["--format=parquet", "--", "-"], feed=[]).finish()
    except Error as error:
        _LOGGER.warning("Spark writes the table, which takes longer: %s", error)
        return False
    return True


def _write_part(
    attempts: str, arguments: Sequence[str], feed: Iterable[bytes], on_error: OnError, timeout: float
) -> tuple[str | None, list[Record]]:
    """Writes a file of a table, and returns its path and the errors that are collected.

    There is no file if nothing could be read. It is in a directory of its own below `attempts`, where the
    command has its temporary file too.
    """
    attempt = os.path.join(attempts, uuid.uuid4().hex)
    os.mkdir(attempt)
    file = os.path.join(attempt, "part.parquet")
    process = Process([f"--output={file}", *arguments], feed=feed, timeout=timeout)
    try:
        failures = _failures(process, on_error)
        return (file if os.path.exists(file) else None), failures
    except BaseException:
        process.kill()
        shutil.rmtree(attempt, ignore_errors=True)
        raise


def _write_rows(table: DataFrame, directory: str) -> tuple[DataFrame, dict[str, int]]:
    """Lets Spark write a table, and returns its errors and totals."""
    from pyspark import StorageLevel

    of_links, errors = split(table.persist(StorageLevel.DISK_ONLY))
    of_links.write.mode("errorifexists").parquet(directory)
    return errors, totals(table)


def _failures(
    process: Process, on_error: OnError, failures_of: Callable[[list[Record]], list[Record]] = list
) -> list[Record]:
    """Waits for the end of a process, and returns its errors, where they are collected, and its totals."""
    failures = failures_of(process.finish(damage_fails=False))
    if failures and on_error != "collect":
        raise Error(describe(failures), failures)
    return [*failures, *_counts(process.summary)]


def _rows(
    process: Process,
    on_error: OnError,
    schema: pyarrow.Schema,
    changed: Callable[[pyarrow.RecordBatch], dict[str, pyarrow.Array]] = lambda batch: {},
    failures_of: Callable[[list[Record]], list[Record]] = list,
) -> _Batches:
    """Yields what a process writes, with the columns that `changed` returns, and its collected errors."""
    # Errors are raised after the last batch, with their places in the rows' documents.
    with LinkReader(process, damage_fails=False) as reader:
        missing = set(schema.names) - set(reader.schema.names) - {_FAILED}
        if missing:
            names = ", ".join(sorted(missing))
            raise Error(f"the command of the executors is another version: it has no columns {names}")
        for batch in reader:
            columns = dict(zip(batch.schema.names, batch.columns, strict=True))
            columns |= {_FAILED: pyarrow.nulls(len(batch), _FAILURE), **changed(batch)}
            yield _batch(columns, schema)
        failures = _failures(process, on_error, failures_of)
    yield from _failure_rows(failures, schema)


def _failure_rows(failures: Sequence[Record], schema: pyarrow.Schema) -> _Batches:
    """Yields a batch of errors and totals, if the schema has a column for them."""
    if failures and _FAILED in schema.names:
        columns = {field.name: pyarrow.nulls(len(failures), field.type) for field in schema}
        columns[_FAILED] = pyarrow.array(failures, _FAILURE)
        yield _batch(columns, schema)


def _batch(columns: dict[str, pyarrow.Array], schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    """Returns a batch of the columns that a schema names, in its types."""
    arrays = [columns[field.name].cast(field.type) for field in schema]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def _mapped(column: pyarrow.Array, change: Callable[[str], str | None]) -> pyarrow.Array:
    """Returns a column of strings with changed values; nulls stay."""
    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    values = pyarrow.array(map(change, column.dictionary.to_pylist()), pyarrow.string())
    return pyarrow.compute.take(values, column.indices)


def _some(batches: _Batches) -> _Batches | None:
    """Returns the batches, or None if they have no row: then there is nothing to start a process for."""
    iterator = iter(batches)
    for batch in iterator:
        if len(batch) > 0:
            return chain([batch], iterator)
    return None


def _paths(batches: _Batches) -> Iterator[bytes]:
    """Yields the paths of batches as `--files0-from` reads them."""
    for path in _values(batches):
        name = path if isinstance(path, bytes) else os.fsencode(_local(path))
        if b"\0" in name:
            raise ValueError(f"a path with NUL: {path!r}")
        yield name + b"\0"


def _values(batches: _Batches) -> Iterator[str | bytes]:
    """Yields the paths of batches."""
    for batch in batches:
        for path in batch.column(0).to_pylist():
            if not path:
                raise ValueError("a path is null or empty")
            yield path


def _local(path: str) -> str:
    """Returns the path of a `file:` URI, and any other path as it is.

    Spark writes them with percent-encoding in some places (`input_file_name`) and without in others
    (`binaryFile`).
    """
    if not path.startswith("file:"):
        return path
    name = path.removeprefix("file:")
    name = "/" + name.lstrip("/")
    return name if os.path.exists(name) else unquote(name)


@dataclass(kw_only=True)
class _Object:
    """A file whose bytes a process reads from a pipe while they arrive."""

    path: str
    opener: Opener | None

    def rows(
        self, arguments: Sequence[str], on_error: OnError, schema: pyarrow.Schema, timeout: float
    ) -> _Batches:
        """Yields what a process writes of the bytes, and its collected errors."""
        try:
            file = self._open()
        except OSError as error:
            failure = {"type": "error", "path": self.path, "message": str(error) or repr(error)}
            if on_error != "collect":
                raise Error(describe([failure]), [failure]) from error
            yield from _failure_rows([failure, *_counts({"failed_files": 1, "errors": 1})], schema)
            return
        url = (self.opener if isinstance(self.opener, str) else "") + self.path
        if _URL.match(url) and not any(argument.startswith("--base=") for argument in arguments):
            arguments = [f"--base={quote(url, safe=_PRINTED)}", *arguments]
        with ExitStack() as stack:
            if hasattr(file, "close"):
                stack.callback(file.close)
            # The name of a file tells its format.
            name = url.partition("?")[0].rpartition("/")[2][-_NAME_LENGTH:]
            name = os.path.join(stack.enter_context(tempfile.TemporaryDirectory()), name or "-")
            os.symlink("/dev/stdin", name)
            process = Process([*arguments, "--", name], feed=self.content(file), timeout=timeout)
            stack.callback(process.kill)
            yield from _rows(process, on_error, schema, self.columns, self.failures)

    def _open(self) -> Readable:
        if callable(self.opener):
            return self.opener(self.path)
        if self.opener is None:
            return open(_local(self.path), "rb")
        import fsspec

        opened: Readable = fsspec.open(self.opener + self.path, "rb").open()
        return opened

    def content(self, file: Readable) -> Iterator[bytes]:
        """Yields the bytes of the open file."""
        return pieces(file)

    def columns(self, batch: pyarrow.RecordBatch) -> dict[str, pyarrow.Array]:
        """Returns the columns with places in the file."""
        return {"path": pyarrow.repeat(self.path, len(batch))}

    def failures(self, records: list[Record]) -> list[Record]:
        """Returns errors with places in the file."""
        return [{**record, "path": self.path} for record in records]


@dataclass(kw_only=True)
class _Part(_Object):
    """A part of a web archive."""

    offset: int
    length: int | None
    record: int = 1

    def content(self, file: Readable) -> Iterator[bytes]:
        """Yields the bytes of the part."""
        file.seek(self.offset)  # type: ignore[attr-defined]
        read = 0
        for piece in pieces(file, self.length):
            read += len(piece)
            yield piece
        if self.length is not None and read < self.length:
            left = self.length - read
            raise EOFError(f"{self.path}: the part at {self.offset} ends {left} bytes too early")

    def columns(self, batch: pyarrow.RecordBatch) -> dict[str, pyarrow.Array]:
        """Returns the columns with places in the whole archive."""
        changed = {**super().columns(batch), "member": _mapped(batch.column("member"), self._place)}
        if "member_offset" in batch.schema.names:
            changed["member_offset"] = pyarrow.compute.add(batch.column("member_offset"), self.offset)
        return {**changed, "message_offset": pyarrow.nulls(len(batch), pyarrow.int64())}

    def failures(self, records: list[Record]) -> list[Record]:
        """Returns errors with the path of the archive."""
        return [self._placed(record) for record in records]

    def _placed(self, record: Record) -> Record:
        """Returns an error with its place in the archive."""
        member = record.get("member") and self._place(record["member"])
        return {**record, "path": self.path, "member": member, "offset": None}

    def _place(self, member: str) -> str:
        """Returns a member with the number that its record has in the archive."""
        rest = member.lstrip(string.digits)
        return f"{int(member.removesuffix(rest)) + self.record - 1}{rest}"


class _Documents:
    """Documents of a column, as records of a web archive: their numbers lead back to the rows."""

    def __init__(self, batches: _Batches, media_type: str | None):
        self._batches = batches
        self._media_type = media_type
        # The URIs of all records, one after the other, and where each ends: small, for all stay.
        self._uris = bytearray()
        self._ends = array("q", [0])
        self._missing: list[Record] = []

    def records(self) -> Iterator[bytes | memoryview]:
        """Yields `resource` records (ISO 28500 section 6.4), one for each row with content."""
        for batch in self._batches:
            contents, uris, *types = batch.columns
            for row in range(len(batch)):
                uri = uris[row].as_py() or ""
                content = contents[row].as_buffer()
                if content is None:
                    self._missing.append({"type": "error", "path": uri, "message": "it has no content"})
                    continue
                self._uris += uri.encode()
                self._ends.append(len(self._uris))
                declared = types[0][row].as_py() if types else None
                yield _record_head(uri, declared or self._media_type, content.size)
                yield memoryview(content)
                yield b"\r\n\r\n"

    def columns(self, batch: pyarrow.RecordBatch) -> dict[str, pyarrow.Array]:
        """Returns the columns with the path and the member in the row's document."""
        member = batch.column("member")
        changed = {
            "path": _mapped(member, lambda name: self._place(name)[0]),
            "member": _mapped(member, lambda name: self._place(name)[1]),
        }
        if "loc" in batch.schema.names:
            # A span in a row's own document is in no part of it.
            inside = changed["member"].is_valid()
            none = pyarrow.scalar(None, pyarrow.string())
            loc = batch.column("loc").cast(pyarrow.string())
            changed["loc"] = pyarrow.compute.if_else(inside, loc, none)
        return changed

    def failures(self, records: list[Record]) -> list[Record]:
        """Returns errors with the path and the member in the row's document."""
        return self._missing + [self._placed(record) for record in records]

    def _placed(self, record: Record) -> Record:
        """Returns an error with its place in the row's document."""
        if not record.get("member"):
            return record
        path, member = self._place(record["member"])
        return {**record, "path": path, "member": member, "offset": None}

    def _place(self, member: str) -> tuple[str, str | None]:
        """Returns the URI of a record's row, and the member in its document."""
        record, _, inner = member.partition("!")
        number = int(record.partition("/")[0])
        return self._uris[self._ends[number - 1] : self._ends[number]].decode(), inner or None


def _record_head(uri: str, media_type: str | None, length: int) -> bytes:
    """Returns the header of a record; nothing in a URI or a type can add a field to it."""
    fields = ["WARC/1.1", "WARC-Type: resource", f"Content-Length: {length}"]
    if uri:
        fields.append("WARC-Target-URI: " + quote(uri, safe=_PRINTED))
    if media_type:
        fields.append("Content-Type: " + "".join(c if " " <= c <= "~" else " " for c in media_type))
    return ("\r\n".join(fields) + "\r\n\r\n").encode()


def _plain_type(of: pyarrow.DataType) -> pyarrow.DataType:
    """Returns a type without dictionaries: Spark has none."""
    if pyarrow.types.is_dictionary(of):
        return _plain_type(of.value_type)
    if pyarrow.types.is_list(of):
        return pyarrow.list_(_plain_type(of.value_type))
    return of


def _schema(arguments: Sequence[str], on_error: OnError) -> pyarrow.Schema:
    """Returns the schema that Spark gets, asked of the driver's command with the arguments of the run."""
    with LinkReader(Process([*arguments, "--", "-"], feed=[])) as reader:
        fields = [pyarrow.field(field.name, _plain_type(field.type)) for field in reader.schema]
    if on_error != "fail":
        fields.append(pyarrow.field(_FAILED, _FAILURE))
    return pyarrow.schema(fields)


def _spark_fields(fields: Iterable[pyarrow.Field]) -> str:
    """Returns fields in Spark's words."""
    return ", ".join(f"`{field.name}` {_spark_type(field.type)}" for field in fields)


def _spark_type(of: pyarrow.DataType) -> str:
    """Returns the name of a type in Spark's SQL."""
    if pyarrow.types.is_list(of):
        return f"array<{_spark_type(of.value_type)}>"
    if pyarrow.types.is_struct(of):
        return f"struct<{_spark_fields(of)}>"
    if pyarrow.types.is_timestamp(of):
        return "timestamp"
    return {"string": "string", "binary": "binary", "int64": "bigint"}[str(of)]
