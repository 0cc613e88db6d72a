"""What the command writes, as Arrow record batches. This module alone needs pyarrow to be there."""

from __future__ import annotations

import threading
from typing import Any

import pyarrow

from uriscan._process import Process, Record

# The end of a stream and the start of a message are at most as long (Arrow, "Encapsulated message
# format"): four bytes 0xFF and the length, which is 0 at the end.
_PREFIX = 8


class LinkReader(pyarrow.ipc.RecordBatchStreamReader):  # type: ignore[misc]
    """A reader of the batches that a process writes, which threads may share: each batch goes to one.

    After the last one it raises `Error` if the process failed, in every thread; see `Process.finish` for
    `damage_fails`. Closing it ends the process.
    """

    def __init__(self, process: Process, damage_fails: bool = True):
        self._process = process
        # One message takes several reads of the stream.
        self._lock = threading.Lock()
        super().__init__(_Stream(process, damage_fails))

    @property
    def summary(self) -> Record | None:
        """The record of totals, with files that were skipped by reason; None before the end."""
        return self._process.summary

    def read_next_batch(self) -> pyarrow.RecordBatch:
        """Returns the next batch; at the end raises `StopIteration`."""
        with self._lock:
            return super().read_next_batch()

    def read_next_batch_with_custom_metadata(self) -> Any:
        """Returns the next batch with its metadata; at the end raises `StopIteration`."""
        with self._lock:
            return super().read_next_batch_with_custom_metadata()

    def read_all(self) -> pyarrow.Table:
        """Returns the batches that are left as a table."""
        with self._lock:
            return super().read_all()

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        with self._lock:
            super().close()


class _Stream:
    """The output of a process as a file that ends only if the process ended well.

    Whoever reads a stream of Arrow stops at its end mark and would not see the exit code. Before the last
    bytes are handed out the process is therefore waited for, and its failure is raised instead.
    """

    closed = False

    def __init__(self, process: Process, damage_fails: bool):
        self._process = process
        self._damage_fails = damage_fails
        self._failure: BaseException | None = None

    def read(self, size: int = -1) -> bytes:
        """Returns `size` bytes, or fewer at the end."""
        output = self._process.output
        if self._failure is not None:
            raise self._failure
        if output.closed:
            return b""
        data = output.read(size)
        if len(data) < size or (size <= _PREFIX and not output.peek(1)):
            try:
                self._process.finish(self._damage_fails)
            except BaseException as failure:
                self._failure = failure
                raise
        return data

    def readable(self) -> bool:
        """Says that this file can be read."""
        return True

    def close(self) -> None:
        """Ends the process."""
        self.closed = True
        self._process.kill()
