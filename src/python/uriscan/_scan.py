"""Tables of links, and of the documents that have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from uriscan._command import Option, PathArgument, flags, path_arguments
from uriscan._process import Process

if TYPE_CHECKING:
    from uriscan._reader import LinkReader

Content: TypeAlias = bytes | bytearray | memoryview


@runtime_checkable
class Readable(Protocol):
    """A file object: an open file, a response of a server, a member of an archive."""

    def read(self, size: int, /) -> bytes:
        """Returns at most `size` bytes, none at the end."""


# Documents for `scan` and `records`.
Source: TypeAlias = PathArgument | Iterable[PathArgument] | Content | Readable

# How much of a file object is read at a time.
_PIECE = 1024 * 1024

# Options with which the command writes something else than rows, or elsewhere.
NOT_ROWS = frozenset(
    """count count_by explain fields files files_with_matches generate help json messages null output
    quiet stats type_list version""".split()
)


def scan(
    source: Source,
    *,
    format: str | None = None,
    base: str | None = None,
    root: str | Sequence[str] | None = None,
    columns: str | Sequence[str] = "core",
    **options: Option,
) -> LinkReader:
    """Returns the links of documents as a reader of Arrow record batches.

    Documents are files and directories, one or several, or the contents of one document: bytes, or a file
    object with a method `read`. `format` is the flag `--type` of the command, `base` and `root` are its flags
    of these names, and `columns` chooses the schema: `core`, `mail`, `web` or `all`, or a list of columns.
    Other flags are options: an underscore is a hyphen, True a flag without a value, and a list repeats the
    flag.

    >>> import uriscan
    >>> text = b"See <http://example.com/a> or URL:ftp://example.org/b."
    >>> reader = uriscan.scan(text, format="text", columns=["line", "target"], scheme=["ftp", "https"])
    >>> reader.read_all().to_pylist()
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
    given: dict[str, Option] = {"type": format, "base": base, "root": root, "columns": columns}
    return _reader([], source, {**given, **options})


def records(
    source: Source,
    *,
    format: str | None = None,
    columns: str | Sequence[str] | None = None,
    **options: Option,
) -> LinkReader:
    """Returns a row for each document, message, web record or member of an archive, also without links.

    The arguments are those of `scan`, and so is the reader. Compressed files and archives are always read.

    >>> import uriscan
    >>> uriscan.records("corpus/mbox/a-thread.mbox", columns=["title", "links"]).read_all().to_pylist()[0]
    {'title': 'Where the old pages are', 'links': 2}
    """
    return _reader(["records"], source, {"type": format, "columns": columns, **options})


def _reader(command: list[str], source: Source, options: Mapping[str, Option]) -> LinkReader:
    """Returns the rows that a command writes of what it reads."""
    from uriscan._reader import LinkReader

    arguments = [*command, "--format=arrow", "--messages=json", "--stats", *flags(options, NOT_ROWS)]
    if isinstance(source, (bytes, bytearray, memoryview)):
        return LinkReader(Process([*arguments, "--", "-"], feed=[memoryview(source)]))
    if isinstance(source, Readable):
        return LinkReader(Process([*arguments, "--", "-"], feed=pieces(source)))
    names, feed = path_arguments(source)
    return LinkReader(Process([*arguments, *names], feed=feed, inherit="-" in names))


def pieces(file: Readable, size: int | None = None) -> Iterator[bytes]:
    """Yields the bytes of a file object, at most `size`."""
    while size is None or size > 0:
        piece = file.read(_PIECE if size is None else min(size, _PIECE))
        if piece is None:
            raise BlockingIOError("a file object has no bytes yet: open it in blocking mode")
        if not piece:
            break
        if not isinstance(piece, bytes):
            raise TypeError(f"a file object returns {type(piece).__name__}: open it in binary mode")
        size = None if size is None else size - len(piece)
        yield piece
