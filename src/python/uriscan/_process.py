"""A run of the command: its pipes, its messages and its end."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import threading
import weakref
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, TypeAlias, cast

from uriscan._command import binary

Record: TypeAlias = dict[str, Any]

_LOGGER = logging.getLogger("uriscan")

# The reasons for which a named file fails a run: it has content that was not looked into.
_UNREAD = ("skipped_compressed", "skipped_archive")

# Diagnostics whose codes begin so say that a document was not read to its end; as errors they end with exit
# code 2. Only damage of cross references leaves a PDF complete.
_DAMAGE = (
    *("warc.", "archive.", "compress.", "rnews.resync", "package.encrypted", "package.invalid"),
    *("pdf.damaged", "pdf.limit", "pdf.no-pages", "pdf.too-long"),
)

# Exit codes: something was found, nothing was found, and something failed.
_FOUND, _NONE, _FAILED = 0, 1, 2

# How much of what is no record, such as the message on an unknown flag, an error quotes.
_TEXT_LINES = 20


class Error(Exception):
    """The command failed, or could not read everything.

    `records` has a record for each thing that could not be read: errors, and diagnostics of damaged
    archives. `returncode` is the exit code of the command, negative where a signal ended it.
    """

    # Where it is imported from, for tracebacks.
    __module__ = "uriscan"

    def __init__(self, message: str, records: Sequence[Record] = (), returncode: int | None = None):
        super().__init__(message, records, returncode)
        self.message = message
        self.records = list(records)
        self.returncode = returncode

    def __str__(self) -> str:
        return self.message


@dataclass
class _State:
    """What the threads of a run leave for its end."""

    errors: list[Record] = field(default_factory=list)
    summary: Record | None = None
    # The command was waited for.
    ended: bool = False
    # A named file was not read.
    unread: bool = False
    # The log has what was skipped.
    warned: bool = False
    text: deque[str] = field(default_factory=lambda: deque(maxlen=_TEXT_LINES))
    feed_failure: BaseException | None = None
    timed_out: bool = False


class Process:
    """A running command.

    `feed` is written to its standard input by a thread, and its standard error is read by another, so
    that no pipe waits for a second one. A process that nobody refers to any more is killed and reaped,
    and so is one that takes more than `timeout` seconds.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        feed: Iterable[bytes | memoryview] | None = None,
        inherit: bool = False,
        timeout: float | None = None,
    ):
        if feed is not None:
            stdin: int | None = subprocess.PIPE
        else:
            stdin = None if inherit else subprocess.DEVNULL
        child = subprocess.Popen(
            [binary(), *arguments], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert child.stdout is not None and child.stderr is not None
        # Buffered, as all pipes of subprocess are unless one says otherwise.
        self.output = cast(io.BufferedReader, child.stdout)
        self._child = child
        self._timeout = timeout
        self._state = state = _State()
        self._threads = [threading.Thread(target=_collect, args=(child.stderr, state), daemon=True)]
        if feed is not None:
            assert child.stdin is not None
            arguments_of_feed = (child.stdin, feed, state)
            self._threads.append(threading.Thread(target=_feed, args=arguments_of_feed, daemon=True))
        self._timer = threading.Timer(timeout or 0, _time_out, (child, state))
        self._timer.daemon = True
        # The threads refer to the state and the pipes, not to this object: it dies with its last user.
        self._end = weakref.finalize(self, _kill, child, self._timer)
        for thread in self._threads:
            thread.start()
        if timeout is not None:
            self._timer.start()

    def finish(self, damage_fails: bool = True) -> list[Record]:
        """Waits for the end, and returns the records of errors.

        Raises `Error` if the command failed. With `damage_fails` it also fails where it says what it
        could not read; else that is for the caller to judge.
        """
        code = self._child.wait()
        self._end()
        state = self._state
        self._threads[0].join()
        told = code == _FAILED and bool(state.errors)
        # The thread that feeds may be waiting for more input, which a command that died, or refused its
        # arguments, has no use for. After a second it ended or waits in a read: before that, to close the
        # file could give its number, and what the thread reads, to another pipe.
        for thread in self._threads[1:]:
            thread.join(None if told or code in (_FOUND, _NONE) else 1)
        state.ended = True
        if state.timed_out:
            raise Error(f"stopped after {self._timeout} seconds", state.errors, code)
        if state.feed_failure is not None:
            raise state.feed_failure
        failed = code not in (_FOUND, _NONE)
        if (failed and not told) or (damage_fails and (failed or state.unread)):
            raise Error(_message(state, code), state.errors, code)
        if not state.warned and state.summary is not None and (skipped := _skipped(state.summary)):
            _LOGGER.warning("%s", skipped, extra={"record": state.summary})
        state.warned = True
        return state.errors

    @property
    def summary(self) -> Record | None:
        """The record of totals, if one was asked for and the command was waited for."""
        return self._state.summary if self._state.ended else None

    def note(self, record: Record) -> None:
        """Takes a record of its output for one of its messages."""
        _note(record, self._state)

    def kill(self) -> None:
        """Ends the command, if it still runs."""
        self._end()


def _is_failure(record: Record) -> bool:
    """Says whether a record tells of something that could not be read."""
    kind = record.get("type")
    return kind == "error" or (kind == "diagnostic" and record["code"].startswith(_DAMAGE))


def _note(record: Record, state: _State) -> None:
    """Keeps a record of a failure and the summary; any other goes to the log."""
    kind = record.get("type")
    if kind == "summary":
        state.summary = record
    elif kind == "skipped" and record.get("named") and record.get("reason") in _UNREAD:
        state.errors.append(record)
        state.unread = True
    elif _is_failure(record):
        state.errors.append(record)
    else:
        _LOGGER.info("%s", json.dumps(record), extra={"record": record})


def _skipped(summary: Record) -> str:
    """Returns a line about the files that were left unread, by reason; an empty one if none were."""
    skipped = summary.get("skipped_files", 0)
    if not skipped:
        return ""
    reasons = {
        name.removeprefix("skipped_"): count
        for name, count in summary.items()
        if name.startswith("skipped_") and name != "skipped_files" and count
    }
    listed = ", ".join(f"{count} {name}" for name, count in reasons.items())
    hint = "; decompress=True reads compressed files" if "compressed" in reasons else ""
    return f"{skipped} file{'s' if skipped > 1 else ''} skipped ({listed}){hint}"


def describe(failures: Sequence[Record]) -> str:
    """Returns a line about failures: the first of them, and how many more there are."""
    first = failures[0]
    parts = ": ".join(str(first[key]) for key in ("path", "member", "message") if first.get(key))
    more = len(failures) - 1
    return parts + (f" (and {more} more)" if more else "")


def _message(state: _State, code: int) -> str:
    """Returns the text of an error."""
    if state.errors:
        return describe(state.errors)
    if state.text:
        return "\n".join(state.text)
    return f"signal {-code} ended the command" if code < 0 else f"the command failed with {code}"


def _collect(stderr: IO[bytes], state: _State) -> None:
    """Reads messages to their end: failures are kept, the others go to the log."""
    with stderr:
        for line in stderr:
            text = line.decode("utf-8", "replace").rstrip()
            try:
                record = json.loads(text)
            except ValueError:
                record = None
            if isinstance(record, dict):
                _note(record, state)
            elif text:
                state.text.append(text)


def _feed(stdin: IO[bytes], feed: Iterable[bytes | memoryview], state: _State) -> None:
    """Writes everything to standard input, and closes it."""
    try:
        with stdin:
            for piece in feed:
                stdin.write(piece)
    except (BrokenPipeError, ConnectionResetError):
        # The command has ended before its input; its exit code tells why.
        pass
    except BaseException as failure:
        state.feed_failure = failure


def _time_out(child: subprocess.Popen[bytes], state: _State) -> None:
    """Ends a command that takes too long."""
    state.timed_out = True
    child.kill()


def _kill(child: subprocess.Popen[bytes], timer: threading.Timer) -> None:
    """Ends a command that still runs, reaps it, and stops its timer."""
    timer.cancel()
    if child.poll() is None:
        child.kill()
        child.wait()
    if child.stdout is not None:
        child.stdout.close()
