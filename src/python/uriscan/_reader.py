"""What the command writes, as Arrow record batches. This module alone needs pyarrow to be there."""

from __future__ import annotations

import pyarrow

from uriscan._process import Process

# The end of a stream and the start of a message are at most as long (Arrow, "Encapsulated message
# format"): four bytes 0xFF and the length, which is 0 at the end.
_PREFIX = 8


class LinkReader(pyarrow.ipc.RecordBatchStreamReader):  # type: ignore[misc]
    """A reader of the batches that a process writes.

    After the last one it raises `Error` if the process failed; see `Process.finish` for `damage_fails`.
    Closing it ends the process.
    """

    def __init__(self, process: Process, damage_fails: bool = True):
        self._process = process
        super().__init__(_Stream(process, damage_fails))

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
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

    def read(self, size: int = -1) -> bytes:
        """Returns `size` bytes, or fewer at the end."""
        output = self._process.output
        if output.closed:
            return b""
        data = output.read(size)
        if len(data) < size or (size <= _PREFIX and not output.peek(1)):
            self._process.finish(self._damage_fails)
        return data

    def readable(self) -> bool:
        """Says that this file can be read."""
        return True

    def close(self) -> None:
        """Ends the process."""
        self.closed = True
        self._process.kill()
