"""Tables of links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from uriscan._command import Option, PathArgument, flags, path_arguments
from uriscan._process import Process

if TYPE_CHECKING:
    import pyarrow

Content: TypeAlias = bytes | bytearray | memoryview

# Options with which the command writes something else than rows of links, or elsewhere.
NOT_ROWS = frozenset(
    """count count_by explain fields files files_with_matches generate help json messages null output
    quiet type_list version""".split()
)


def scan(
    paths_or_bytes: PathArgument | Iterable[PathArgument] | Content,
    *,
    format: str | None = None,
    base: str | None = None,
    root: str | Sequence[str] | None = None,
    columns: str = "core",
    **options: Option,
) -> pyarrow.RecordBatchReader:
    """Returns the links of documents as a reader of Arrow record batches.

    Documents are files and directories, one or several, or the bytes of one document. `format` is the
    flag `--type` of the command, `base` and `root` are its flags of these names, and `columns` chooses
    the schema: `core`, `mail`, `web` or `all`. Other flags are options: an underscore is a hyphen, True
    a flag without a value, and a list repeats the flag.

    >>> import uriscan
    >>> text = b"See <http://example.com/a> or URL:ftp://example.org/b."
    >>> reader = uriscan.scan(text, format="text", scheme=["ftp", "https"])
    >>> reader.read_all().select(["line", "target"]).to_pylist()
    [{'line': 1, 'target': 'ftp://example.org/b'}]

    Batches arrive while the command reads. After the last one `Error` is raised if anything could not be
    read, also if a file was named that is an archive of an unknown kind; its `records` name each thing.
    Files below a directory that were skipped, such as compressed ones without `decompress=True`, are counted
    in the reader's `summary` and in a WARNING of the log `uriscan`; what is merely odd about a document goes
    there at level INFO. Threads may share a reader. One that is closed, or that nobody uses any more, ends
    the command.

    >>> uriscan.scan("no/such/file").read_all()
    Traceback (most recent call last):
        ...
    uriscan.Error: no/such/file: No such file or directory (os error 2)
    """
    from uriscan._reader import LinkReader

    given: dict[str, Option] = {"type": format, "base": base, "root": root, "columns": columns, "stats": True}
    arguments = ["--format=arrow", "--messages=json", *flags({**given, **options}, NOT_ROWS)]
    if isinstance(paths_or_bytes, (bytes, bytearray, memoryview)):
        return LinkReader(Process([*arguments, "--", "-"], feed=[memoryview(paths_or_bytes)]))
    names, feed = path_arguments(paths_or_bytes)
    return LinkReader(Process([*arguments, *names], feed=feed, inherit="-" in names))
